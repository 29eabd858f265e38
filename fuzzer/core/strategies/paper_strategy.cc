#include "fuzzer/core/strategies/paper_strategy.h"

namespace rff {

std::optional<Schedule> PaperStrategy::propose(Random& random) {
  Schedule schedule;
  // While every run fails, the corpus is empty and the empty schedule is mutated.
  if (!corpus_.empty()) {
    if (stage_.energy == 0) {
      stage_ = power_.choose(corpus_);
    }
    --stage_.energy;
    schedule.constraints = corpus_.members()[stage_.member].constraints;
  }
  Mutator(pool_, random).mutate(schedule.constraints);
  schedule.seed = random.next();
  return schedule;
}

}  // namespace rff
