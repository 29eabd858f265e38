// Plain random runs, without prefix and without constraints: many bugs need nothing else. Always
// has a proposal.
#pragma once

#include "fuzzer/core/strategies/share.h"
#include "fuzzer/core/strategies/strategy.h"

namespace rff {

class RandomStrategy : public Strategy {
 public:
  struct Mixture {
    Share round_robin = kNever;                     // out of step
    Share window = kNever;                          // of the others
    SchedulerKind otherwise = SchedulerKind::kRff;  // the scheduler of the remaining runs
  };

  explicit RandomStrategy(const Mixture& mixture) : mixture_(mixture) {}

  std::optional<Schedule> propose(Random& random) override;

 private:
  Mixture mixture_;
};

}  // namespace rff
