// Proposes to return to a state that some run passed and to continue at random (see Archive).
#pragma once

#include "fuzzer/core/archive.h"
#include "fuzzer/core/strategies/share.h"
#include "fuzzer/core/strategies/strategy.h"

namespace rff {

class ArchiveStrategy : public Strategy {
 public:
  // `values`: how often to choose among states that were the first with some value; `deciding`: how
  // often, of the other times, among states that differ in memory that decides where threads go,
  // instead of among all states. `focus` must outlive the strategy.
  ArchiveStrategy(const Focus& focus, Share values, Share deciding, const Bounds& bounds)
      : focus_(focus),
        values_share_(values),
        deciding_share_(deciding),
        values_(bounds, Archive::Novelty::kValue),
        deciding_(bounds),
        all_(bounds) {}

  std::string_view name() const override { return "states"; }
  std::optional<Schedule> propose(Random& random) override;
  void observe(const Schedule& schedule, const Lesson& lesson) override;

 private:
  const Focus& focus_;
  Share values_share_, deciding_share_;
  Archive values_;
  Archive deciding_;
  Archive all_;
};

}  // namespace rff
