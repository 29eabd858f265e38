// The schedulers by name, and what a run adds to them.
#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

std::unique_ptr<Scheduler> make_policy(const Schedule& schedule, LastWriters& memory) {
  switch (schedule.scheduler) {
    case SchedulerKind::kPos: return make_pos(schedule.seed);
    case SchedulerKind::kPct:
      return make_pct(schedule.seed, schedule.pct_depth, schedule.pct_length);
    case SchedulerKind::kRandom: return make_random_walk(schedule.seed);
    case SchedulerKind::kSteady: return make_steady();
    case SchedulerKind::kRoundRobin: return make_round_robin(schedule.seed);
    default: return make_reads_from(schedule, memory);
  }
}

}  // namespace

std::unique_ptr<Scheduler> make_scheduler(const Schedule& schedule, LastWriters& memory) {
  std::unique_ptr<Scheduler> policy = make_policy(schedule, memory);
  return schedule.guided ? make_guided(schedule.prefix, std::move(policy)) : std::move(policy);
}

// Decisions that a run of the schedule follows first; null if there are none.
static const std::vector<Decision>* recorded_decisions(const Schedule& schedule) {
  if (schedule.finding && !schedule.finding->decisions.empty()) {
    return &schedule.finding->decisions;
  }
  return !schedule.prefix.empty() && !schedule.guided ? &schedule.prefix : nullptr;
}

std::unique_ptr<Scheduler> make_run_scheduler(const Schedule& schedule, LastWriters& memory,
                                              Progress& progress, RunListener& listener) {
  auto scheduler = make_fair(make_scheduler(schedule, memory), progress, schedule.seed);
  const std::vector<Decision>* decisions = recorded_decisions(schedule);
  return decisions == nullptr ? std::move(scheduler)
                              : make_replay(*decisions, progress, listener, std::move(scheduler));
}

}  // namespace rff
