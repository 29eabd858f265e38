// Proposes random runs without prefix and constraints, which suffice for many bugs. Always has a
// proposal.
#pragma once

#include "fuzzer/core/strategies/share.h"
#include "fuzzer/core/strategies/strategy.h"

namespace rff {

class RandomStrategy : public Strategy {
 public:
  struct Mixture {
    Share round_robin = kNever;                     // share of out-of-step round robin
    Share window = kNever;                          // share of the window scheduler in the others
    SchedulerKind otherwise = SchedulerKind::kRff;  // the scheduler of the remaining runs
  };

  explicit RandomStrategy(const Mixture& mixture) : mixture_(mixture) {}

  std::string_view name() const override { return "random runs"; }
  std::optional<Schedule> propose(Random& random) override;

 private:
  Mixture mixture_;
};

}  // namespace rff
