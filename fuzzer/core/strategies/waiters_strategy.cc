#include "fuzzer/core/strategies/waiters_strategy.h"

namespace rff {

std::optional<Schedule> WaitersStrategy::propose(Random& random) {
  if (left_ == 0) {
    return std::nullopt;
  }
  --left_;
  Schedule schedule;
  schedule.scheduler = SchedulerKind::kDelay;
  schedule.seed = random.next();
  return schedule;
}

void WaitersStrategy::observe(const Schedule& /*schedule*/, const Lesson& lesson) {
  clear_if_full(conditions_, bounds_);
  for (const Step& s : lesson.run.steps) {
    if (s.event >= lesson.run.events.size()) {
      continue;
    }
    const AbstractEvent& e = lesson.run.events[s.event];
    if (e.op != OpKind::kWait && e.op != OpKind::kSignal) {
      continue;
    }
    Condition& c = conditions_[location_key(e)];
    if (e.op == OpKind::kSignal) {
      c.signalled = true;
    } else if (c.waiter == 0) {
      c.waiter = s.thread + 1u;
    } else {
      c.several |= c.waiter != s.thread + 1u;
    }
    if (c.several && c.signalled && !c.asked && asked_ < kMaxConditions) {
      c.asked = true;
      ++asked_;
      left_ += kRunsPerCondition;
    }
  }
}

}  // namespace rff
