// Proposes runs of Q-learning (ql, ql-rf) with what the earlier ones taught. Always has a proposal.
#pragma once

#include "fuzzer/core/action_costs.h"
#include "fuzzer/core/strategies/strategy.h"

namespace rff {

class LearningStrategy : public Strategy {
 public:
  // `scheduler`: kQLearning or kQLearningRf.
  explicit LearningStrategy(SchedulerKind scheduler) : scheduler_(scheduler) {}

  std::string_view name() const override { return scheduler_name(scheduler_); }
  std::optional<Schedule> propose(Random& random) override {
    Schedule schedule;
    schedule.scheduler = scheduler_;
    schedule.learned = costs_.values();
    schedule.seed = random.next();
    return schedule;
  }
  void observe(const Schedule& /*schedule*/, const Lesson& lesson) override {
    costs_.learn(lesson.run.considered);
  }

 private:
  SchedulerKind scheduler_;
  ActionCosts costs_;
};

}  // namespace rff
