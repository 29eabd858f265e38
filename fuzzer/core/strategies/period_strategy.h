// Proposes serialized period schedules (see PeriodSchedules) of the points that the threads of
// earlier runs passed. The first run, without preemption, is the first profile.
#pragma once

#include <unordered_set>

#include "fuzzer/core/bounded.h"
#include "fuzzer/core/period.h"
#include "fuzzer/core/strategies/strategy.h"

namespace rff {

class PeriodStrategy : public Strategy {
 public:
  // `depth`: two threads have at most depth + 1 periods.
  PeriodStrategy(std::uint32_t depth, const Bounds& bounds) : extra_(depth - 1), bounds_(bounds) {}

  std::string_view name() const override { return "periods"; }
  // Returns nothing after the last schedule.
  std::optional<Schedule> propose(Random& random) override;
  // A run that passes more points than expected changes what is proposed from then on.
  void observe(const Schedule& schedule, const Lesson& lesson) override;
  Counts counts() const override { return counts_; }

 private:
  // Points and threads beyond these follow without preemption.
  static constexpr std::size_t kMaxThreads = 512;
  static constexpr std::size_t kMaxPoints = 256;  // of one thread

  std::size_t extra_;
  Bounds bounds_;
  std::vector<std::size_t> points_;  // by thread, in order of creation
  PeriodSchedules schedules_{{}, 0};
  std::unordered_set<std::uint64_t> tried_;
  bool profiled_ = false;
  Counts counts_;
};

}  // namespace rff
