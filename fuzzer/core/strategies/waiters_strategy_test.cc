#include "fuzzer/core/strategies/waiters_strategy.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzzer/core/test_lessons.h"

namespace rff {
namespace {

using namespace test_data;

// Threads that wait at a condition each, and one that wakes by `wake`.
FakeRun waiting(std::initializer_list<std::uint16_t> waiters, OpKind wake,
                std::uint64_t at = 0x100) {
  const Location condition = variable(at);
  FakeRun run;
  for (std::uint16_t thread : waiters) {
    run.step(thread, object_event(OpKind::kWait, condition, 1), at);
  }
  run.step(9, object_event(wake, condition, 2), at);
  return run;
}

// Returns the number of proposals, all of which must be runs with few preemptions.
int proposed_runs(WaitersStrategy& waiters) {
  Random random(1);
  std::set<std::uint64_t> seeds;
  while (std::optional<Schedule> schedule = waiters.propose(random)) {
    EXPECT_EQ(schedule->scheduler, SchedulerKind::kDelay);
    EXPECT_FALSE(schedule->guided);
    EXPECT_TRUE(seeds.insert(schedule->seed).second);
  }
  return static_cast<int>(seeds.size());
}

TEST(WaitersStrategy, ProposesAFewRunsForACondition) {
  Teacher teacher;
  WaitersStrategy waiters({});
  EXPECT_EQ(proposed_runs(waiters), 0);
  teacher.show(waiters, waiting({1, 2}, OpKind::kSignal));
  EXPECT_EQ(proposed_runs(waiters), 3);
  teacher.show(waiters, waiting({1, 2, 3}, OpKind::kSignal));
  EXPECT_EQ(proposed_runs(waiters), 0) << "once for a condition";
  teacher.show(waiters, waiting({1, 2}, OpKind::kSignal, 0x200));
  EXPECT_EQ(proposed_runs(waiters), 3);
}

TEST(WaitersStrategy, CountsThreadsOfSeveralRuns) {
  Teacher teacher;
  WaitersStrategy waiters({});
  teacher.show(waiters, waiting({1, 1}, OpKind::kSignal));
  EXPECT_EQ(proposed_runs(waiters), 0);
  teacher.show(waiters, waiting({2}, OpKind::kSignal));
  EXPECT_EQ(proposed_runs(waiters), 3);
}

TEST(WaitersStrategy, ABroadcastWakesNoWrongThread) {
  Teacher teacher;
  WaitersStrategy waiters({});
  teacher.show(waiters, waiting({1, 2}, OpKind::kBroadcast));
  EXPECT_EQ(proposed_runs(waiters), 0);
}

TEST(WaitersStrategy, LooksAtABoundedNumberOfConditions) {
  Teacher teacher;
  WaitersStrategy waiters({});
  for (std::uint64_t i = 0; i < 100; ++i) {
    teacher.show(waiters, waiting({1, 2}, OpKind::kSignal, 0x100 + 64 * i));
  }
  EXPECT_EQ(proposed_runs(waiters), 24);
}

}  // namespace
}  // namespace rff
