// Proposes orders in which two threads that loop take turns, round by round (see Turns).
#pragma once

#include "fuzzer/core/strategies/strategy.h"
#include "fuzzer/core/turns.h"

namespace rff {

class TurnsStrategy : public Strategy {
 public:
  std::string_view name() const override { return "turns"; }
  std::optional<Schedule> propose(Random& random) override {
    Schedule schedule;
    if (!turns_.take(random, schedule)) {
      return std::nullopt;
    }
    schedule.seed = random.next();
    return schedule;
  }
  void observe(const Schedule& /*schedule*/, const Lesson& lesson) override {
    if (lesson.worthwhile) {
      turns_.add(lesson.run, lesson.order);
    }
  }
  void release_orders() override { turns_.forget(); }

 private:
  Turns turns_;
};

}  // namespace rff
