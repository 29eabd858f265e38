// Maps the rows of schedule/scheduler_table.h to their factories, and wraps schedulers for a run.
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

// Returns the decisions that a run of the schedule follows first; null if there are none.
static const std::vector<Decision>* recorded_decisions(const Schedule& schedule) {
  if (schedule.finding && !schedule.finding->decisions.empty()) {
    return &schedule.finding->decisions;
  }
  return !schedule.prefix.empty() && !schedule.guided ? &schedule.prefix : nullptr;
}

std::unique_ptr<Scheduler> make_run_scheduler(const Schedule& schedule, LastWriters& memory,
                                              Progress& progress, RunListener& listener,
                                              Driver* driver) {
  auto scheduler = make_fair(make_scheduler(schedule, memory), progress, schedule.seed);
  const std::vector<Decision>* decisions = recorded_decisions(schedule);
  if (decisions != nullptr) {
    scheduler = make_replay(*decisions, progress, listener, std::move(scheduler));
  }
  return driver == nullptr ? std::move(scheduler)
                           : make_interactive(*driver, progress, std::move(scheduler));
}

}  // namespace rff
