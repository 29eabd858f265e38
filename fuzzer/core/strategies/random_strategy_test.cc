#include "fuzzer/core/strategies/random_strategy.h"

#include <gtest/gtest.h>

#include <map>

#include "fuzzer/core/round_robin.h"

namespace rff {
namespace {

TEST(RandomStrategy, ProposesItsMixture) {
  RandomStrategy strategy({.round_robin = {1, 8}, .window = {1, 2}});
  Random random(1);
  std::map<SchedulerKind, int> counts;
  for (int i = 0; i < 1600; ++i) {
    std::optional<Schedule> schedule = strategy.propose(random);
    ASSERT_TRUE(schedule);
    ++counts[schedule->scheduler];
    EXPECT_TRUE(schedule->prefix.empty() && schedule->constraints.empty());
    EXPECT_TRUE(schedule->scheduler != SchedulerKind::kRoundRobin || is_out_of_step(*schedule));
  }
  EXPECT_NEAR(counts[SchedulerKind::kRoundRobin], 200, 50);
  EXPECT_NEAR(counts[SchedulerKind::kWindow], 700, 80);
  EXPECT_NEAR(counts[SchedulerKind::kRff], 700, 80);
}

TEST(RandomStrategy, DrawsOnlySeedsForASingleScheduler) {
  RandomStrategy strategy({.otherwise = SchedulerKind::kPct});
  Random random(1);
  Random seeds(1);
  for (int i = 0; i < 5; ++i) {
    std::optional<Schedule> schedule = strategy.propose(random);
    ASSERT_TRUE(schedule);
    EXPECT_EQ(schedule->scheduler, SchedulerKind::kPct);
    EXPECT_EQ(schedule->seed, seeds.next());
  }
}

}  // namespace
}  // namespace rff
