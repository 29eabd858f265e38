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
  WantedValueStrategy(const WantedValueStrategy&) = delete;
  WantedValueStrategy& operator=(const WantedValueStrategy&) = delete;

  std::string_view name() const override { return "values"; }
  std::optional<Schedule> propose(Random& random) override {
    return take(random, undeciding_share_, WantedValues::Only::kAll);
  }
  void observe(const Schedule& schedule, const Lesson& lesson) override;
  void release_orders() override;

  // Strategies with shares of their own, owned by this one, which propose as long as values prove
  // useful: not after `kPatience` of their runs in a row took no new path. The first one proposes
  // only what critical sections want to see together.
  Strategy& values_together() { return values_together_; }
  Strategy& useful_values() { return useful_values_; }

 private:
  static constexpr unsigned kPatience = 32;

  class ValuesTogether : public Strategy {
   public:
    explicit ValuesTogether(WantedValueStrategy& values) : values_(values) {}
    std::string_view name() const override { return "values together"; }
    std::optional<Schedule> propose(Random& random) override {
      return values_.take_useful(random, WantedValues::Only::kTogether);
    }

   private:
    WantedValueStrategy& values_;
  };

  class UsefulValues : public Strategy {
   public:
    explicit UsefulValues(WantedValueStrategy& values) : values_(values) {}
    std::string_view name() const override { return "useful values"; }
    std::optional<Schedule> propose(Random& random) override {
      return values_.take_useful(random, WantedValues::Only::kAll);
    }

   private:
    WantedValueStrategy& values_;
  };

  std::optional<Schedule> take(Random& random, Share undeciding, WantedValues::Only only);
  std::optional<Schedule> take_useful(Random& random, WantedValues::Only only) {
    constexpr Share kWhole = {1, 1};
    return useless_ < kPatience ? take(random, kWhole, only) : std::nullopt;
  }

  const Focus& focus_;
  Share undeciding_share_;
  WantedValues deciding_;
  WantedValues undeciding_;
  ValuesTogether values_together_{*this};
  UsefulValues useful_values_{*this};
  unsigned useless_ = 0;  // own runs since one took a new path
};

}  // namespace rff
