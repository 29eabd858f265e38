// Proposes the orders of earlier runs with one race reversed (see Flips).
#pragma once

#include "fuzzer/core/flips.h"
#include "fuzzer/core/strategies/strategy.h"

namespace rff {

class FlipStrategy : public Strategy {
 public:
  // `knowledge` must outlive the strategy.
  FlipStrategy(const Knowledge& knowledge, const Bounds& bounds, bool frees_first = false)
      : knowledge_(knowledge), flips_(bounds, frees_first) {}
  FlipStrategy(const FlipStrategy&) = delete;
  FlipStrategy& operator=(const FlipStrategy&) = delete;

  std::string_view name() const override { return "flips"; }
  // Proposes only flips that predict something new.
  std::optional<Schedule> propose(Random& random) override { return take(random, true); }
  void observe(const Schedule& schedule, const Lesson& lesson) override;
  void release_orders() override { flips_.forget(); }

  // A strategy with its own share that proposes any of the same flips. Owned by this strategy.
  Strategy& any_flip() { return any_flip_; }

 private:
  class AnyFlip : public Strategy {
   public:
    explicit AnyFlip(FlipStrategy& flips) : flips_(flips) {}
    std::string_view name() const override { return "any flips"; }
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
