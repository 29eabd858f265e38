// Proposes the orders of earlier runs with one race reversed (see Flips).
#pragma once

#include "fuzzer/core/flips.h"
#include "fuzzer/core/strategies/strategy.h"

namespace rff {

class FlipStrategy : public Strategy {
 public:
  // `knowledge` must outlive the strategy.
  FlipStrategy(const Knowledge& knowledge, const Bounds& bounds)
      : knowledge_(knowledge), flips_(bounds) {}
  FlipStrategy(const FlipStrategy&) = delete;
  FlipStrategy& operator=(const FlipStrategy&) = delete;

  // Only flips that promise something new.
  std::optional<Schedule> propose(Random& random) override { return take(random, true); }
  void observe(const Schedule& schedule, const Lesson& lesson) override;
  void release_orders() override { flips_.forget(); }

  // Proposes from the same flips, also those that promise little, so that it can have a share of
  // its own. Belongs to this strategy.
  Strategy& any_flip() { return any_flip_; }

 private:
  class AnyFlip : public Strategy {
   public:
    explicit AnyFlip(FlipStrategy& flips) : flips_(flips) {}
    std::optional<Schedule> propose(Random& random) override { return flips_.take(random, false); }

   private:
    FlipStrategy& flips_;
  };

  std::optional<Schedule> take(Random& random, bool promising);

  const Knowledge& knowledge_;
  Flips flips_;
  AnyFlip any_flip_{*this};
};

}  // namespace rff
