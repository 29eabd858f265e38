// Proposes schedules in which a read gets a new value (see WantedValues), first for reads whose
// values decide how threads continue.
#pragma once

#include "fuzzer/core/strategies/share.h"
#include "fuzzer/core/strategies/strategy.h"
#include "fuzzer/core/wanted_values.h"

namespace rff {

class WantedValueStrategy : public Strategy {
 public:
  // `undeciding`: how often to ask for a value that has not been seen to decide anything, when no
  // deciding value is wanted. `focus` must outlive the strategy.
  WantedValueStrategy(const Focus& focus, Share undeciding, const Bounds& bounds)
      : focus_(focus),
        undeciding_share_(undeciding),
        deciding_(true, bounds),
        undeciding_(false, bounds) {}

  std::string_view name() const override { return "values"; }
  std::optional<Schedule> propose(Random& random) override;
  void observe(const Schedule& schedule, const Lesson& lesson) override;
  void release_orders() override;

 private:
  const Focus& focus_;
  Share undeciding_share_;
  WantedValues deciding_;
  WantedValues undeciding_;
};

}  // namespace rff
