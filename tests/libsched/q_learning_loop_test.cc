// Q-learning as a whole: the scheduler of the runtime and the table of the fuzzer.
#include <gtest/gtest.h>

#include "fuzzer/core/action_costs.h"
#include "libsched/engine/schedulers/interleave.h"

namespace rff {
namespace {

// One thread writes x nine times and another reads it once: a random walk reads after the sixth
// write in 1 of 64 runs. Returns in how many of 640 runs that happens, with or without learning.
int late_reads(SchedulerKind kind, bool learns) {
  ActionCosts costs;
  std::vector<Operation> writes;
  for (std::uint32_t site = 1; site <= 9; ++site) {
    writes.push_back(make_operation(OpKind::kReadModifyWrite, kX, site));
  }
  int late = 0;
  for (std::uint64_t run = 0; run < 640; ++run) {
    Schedule s;
    s.scheduler = kind;
    s.seed = mix64(run + 99);
    s.learned = costs.values();
    Memory memory;
    auto scheduler = make_scheduler(s, memory);
    late +=
        interleave(*scheduler, memory, {writes, {make_operation(OpKind::kRead, kX, 0)}}).find('0') >
                5
            ? 1
            : 0;
    if (learns) {
      costs.learn(scheduler->considered());
    }
  }
  return late;
}

TEST(QLearningLoop, LearningLeavesTheBeatenPath) {
  for (SchedulerKind kind : {SchedulerKind::kQLearning, SchedulerKind::kQLearningRf}) {
    EXPECT_NEAR(late_reads(kind, false), 10, 12) << scheduler_name(kind);
    EXPECT_GE(late_reads(kind, true), 25) << scheduler_name(kind);
  }
}

}  // namespace
}  // namespace rff
