#include "fuzzer/core/strategies/opening_strategy.h"

#include <gtest/gtest.h>

#include "fuzzer/core/round_robin.h"

namespace rff {
namespace {

OpeningStrategy two_runs() {
  return OpeningStrategy({OpeningRun::kRoundRobinInStep, OpeningRun::kEmptySchedule});
}

TEST(OpeningStrategy, ProposesItsRunsInOrderAndThenNothing) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    OpeningStrategy opening = two_runs();
    Random random(seed);
    std::optional<Schedule> first = opening.propose(random);
    std::optional<Schedule> second = opening.propose(random);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->scheduler, SchedulerKind::kRoundRobin);
    EXPECT_FALSE(is_out_of_step(*first));
    EXPECT_EQ(second->scheduler, SchedulerKind::kRff);
    EXPECT_FALSE(opening.propose(random));
  }
}

TEST(OpeningStrategy, LeavesOutTheFirstRunOnceHoweverManySchedulesAreGiven) {
  OpeningStrategy opening = two_runs();
  opening.replace_first_run();
  opening.replace_first_run();
  Random random(1);
  std::optional<Schedule> first = opening.propose(random);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->scheduler, SchedulerKind::kRff);
  EXPECT_FALSE(opening.propose(random));
}

TEST(OpeningStrategy, LeavesOutNothingAfterItHasBegun) {
  OpeningStrategy opening = two_runs();
  Random random(1);
  opening.propose(random);
  opening.replace_first_run();
  EXPECT_TRUE(opening.propose(random));
}

TEST(OpeningStrategy, TheEmptyScheduleHasOnlyASeed) {
  OpeningStrategy opening({OpeningRun::kEmptySchedule});
  Random random(1);
  std::optional<Schedule> schedule = opening.propose(random);
  ASSERT_TRUE(schedule);
  Schedule expected;
  expected.seed = Random(1).next();
  EXPECT_EQ(*schedule, expected);
}

}  // namespace
}  // namespace rff
