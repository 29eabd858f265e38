// Proposes random runs whose scheduler weighs a thread by what it has left to do (urw, surw). The
// first one, before anything is known, is a random walk. Always has a proposal.
#pragma once

#include "fuzzer/core/strategies/strategy.h"
#include "fuzzer/core/work_profile.h"

namespace rff {

class WeightedStrategy : public Strategy {
 public:
  // `scheduler`: kUniform or kSelective.
  explicit WeightedStrategy(SchedulerKind scheduler, const EventSelection& selection = {})
      : scheduler_(scheduler), profile_(selection) {}

  std::string_view name() const override { return scheduler_name(scheduler_); }
  std::optional<Schedule> propose(Random& random) override {
    Schedule schedule;
    schedule.scheduler = profile_.empty() ? SchedulerKind::kRandom : scheduler_;
    if (profile_.empty()) {
      ++counts_.profiles;
    } else {
      schedule.estimates = scheduler_ == SchedulerKind::kSelective ? profile_.one_set(random)
                                                                   : profile_.all_events();
    }
    schedule.seed = random.next();
    return schedule;
  }
  void observe(const Schedule& /*schedule*/, const Lesson& lesson) override {
    profile_.observe(lesson.run);
  }
  Counts counts() const override { return counts_; }

 private:
  SchedulerKind scheduler_;
  WorkProfile profile_;
  Counts counts_;
};

}  // namespace rff
