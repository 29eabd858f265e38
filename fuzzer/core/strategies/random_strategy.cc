#include "fuzzer/core/strategies/random_strategy.h"

#include "fuzzer/core/round_robin.h"

namespace rff {

std::optional<Schedule> RandomStrategy::propose(Random& random) {
  SchedulerKind scheduler = mixture_.round_robin.drawn(random) ? SchedulerKind::kRoundRobin
                            : mixture_.window.drawn(random)    ? SchedulerKind::kWindow
                                                               : mixture_.otherwise;
  if (scheduler == SchedulerKind::kRoundRobin) {
    return round_robin(RoundRobinMode::kOutOfStep, random);
  }
  Schedule schedule;
  schedule.scheduler = scheduler;
  schedule.seed = random.next();
  return schedule;
}

}  // namespace rff
