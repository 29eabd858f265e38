// Proposes orders in which two threads that loop take turns, round by round (see Turns).
#pragma once

#include "fuzzer/core/strategies/strategy.h"
#include "fuzzer/core/turns.h"

namespace rff {

class TurnsStrategy : public Strategy {
 public:
  explicit TurnsStrategy(const Bounds& bounds) : turns_(bounds) {}
  TurnsStrategy(const TurnsStrategy&) = delete;
  TurnsStrategy& operator=(const TurnsStrategy&) = delete;

  std::string_view name() const override { return "turns"; }
  // Proposes only turns of loops that feed each other.
  std::optional<Schedule> propose(Random& random) override { return take(random, true); }
  void observe(const Schedule& /*schedule*/, const Lesson& lesson) override {
    if (lesson.worthwhile) {
      turns_.add(lesson.run, lesson.order);
    }
  }
  void release_orders() override { turns_.forget(); }

  // A strategy with its own share that proposes turns of any loops. Owned by this strategy.
  Strategy& any_turns() { return any_turns_; }

 private:
  class AnyTurns : public Strategy {
   public:
    explicit AnyTurns(TurnsStrategy& turns) : turns_(turns) {}
    std::string_view name() const override { return "any turns"; }
    std::optional<Schedule> propose(Random& random) override { return turns_.take(random, false); }

   private:
    TurnsStrategy& turns_;
  };

  std::optional<Schedule> take(Random& random, bool feeding) {
    Schedule schedule;
    if (!turns_.take(random, feeding, schedule)) {
      return std::nullopt;
    }
    schedule.seed = random.next();
    return schedule;
  }

  Turns turns_;
  AnyTurns any_turns_{*this};
};

}  // namespace rff
