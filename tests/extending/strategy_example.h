// Try again: a schedule whose run showed something new is run once more, with another seed.
#pragma once

#include <utility>

#include "fuzzer/core/strategies/strategy.h"

namespace rff {

class TryAgainStrategy : public Strategy {
 public:
  std::string_view name() const override { return "try again"; }

  std::optional<Schedule> propose(Random& random) override {
    std::optional<Schedule> again = std::exchange(promising_, std::nullopt);
    if (again) {
      again->seed = random.next();
    }
    return again;
  }

  void observe(const Schedule& schedule, const Lesson& lesson) override {
    if (lesson.new_pairs > 0) {
      promising_.emplace();
      promising_->prefix = schedule.prefix;
      promising_->guided = schedule.guided;
      promising_->constraints = schedule.constraints;
      promising_->scheduler = schedule.scheduler;
    }
  }

  void release_orders() override { promising_.reset(); }

 private:
  std::optional<Schedule> promising_;
};

}  // namespace rff
