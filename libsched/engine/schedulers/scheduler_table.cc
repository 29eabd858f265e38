// The factories of the schedulers in schedule/scheduler_table.h.
#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

using Factory = std::unique_ptr<Scheduler> (*)(const Schedule&, LastWriters&);
constexpr Factory kFactories[] = {
#define RFF_FACTORY(enumerator, factory, ...) make_##factory,
    RFF_SCHEDULERS(RFF_FACTORY)
#undef RFF_FACTORY
};

}  // namespace

std::unique_ptr<Scheduler> make_scheduler(const Schedule& schedule, LastWriters& memory) {
  auto policy = kFactories[static_cast<unsigned>(schedule.scheduler)](schedule, memory);
  return schedule.guided ? make_guided(schedule.prefix, std::move(policy)) : std::move(policy);
}

}  // namespace rff
