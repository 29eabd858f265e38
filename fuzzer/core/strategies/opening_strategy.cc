#include "fuzzer/core/strategies/opening_strategy.h"

#include "fuzzer/core/round_robin.h"

namespace rff {

std::optional<Schedule> OpeningStrategy::propose(Random& random) {
  begun_ = true;
  if (runs_.empty()) {
    return std::nullopt;
  }
  OpeningRun run = runs_.front();
  runs_.pop_front();
  switch (run) {
    case OpeningRun::kRoundRobinInStep: return round_robin(RoundRobinMode::kInStep, random);
    case OpeningRun::kEmptySchedule: break;
  }
  Schedule schedule;
  schedule.seed = random.next();
  return schedule;
}

void OpeningStrategy::replace_first_run() {
  if (!begun_ && !runs_.empty()) {
    runs_.pop_front();
  }
  begun_ = true;
}

}  // namespace rff
