// The table of Q-learning against values computed by hand, and its bounds.
#include "fuzzer/core/action_costs.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

constexpr std::uint32_t kOne = LearnedValue::kOne;

// Two choices: in state 1 actions 10 and 11, in state 2 actions 20 and 21. The first of each is
// chosen.
const std::vector<ConsideredAction> kRun = {
    {1, 10, 0, 1}, {1, 11, 0, 0}, {2, 20, 1, 1}, {2, 21, 1, 0}};

TEST(ActionCosts, AFirstRunCostsThreeTenths) {
  ActionCosts costs;
  costs.learn(kRun);
  EXPECT_EQ(costs.cost(1, 10), kOne * 3 / 10);
  EXPECT_EQ(costs.cost(2, 20), kOne * 3 / 10);
  EXPECT_EQ(costs.cost(1, 11), 0u);
  EXPECT_EQ(costs.cost(3, 10), 0u);
}

TEST(ActionCosts, ARepeatedRunCostsMoreAndTheCheapestNextActionCounts) {
  ActionCosts costs;
  costs.learn(kRun);
  costs.learn(kRun);
  // Action 21 is still free, so state 2 adds nothing: 0.7 * 0.3 + 0.3.
  EXPECT_NEAR(costs.cost(1, 10), 0.51 * kOne, 2);
  EXPECT_NEAR(costs.cost(2, 20), 0.51 * kOne, 2);
  costs.learn(std::vector<ConsideredAction>{{2, 20, 0, 0}, {2, 21, 0, 1}});
  EXPECT_NEAR(costs.cost(2, 21), 0.3 * kOne, 2);
  costs.learn(kRun);
  // 0.7 * 0.51 + 0.3 * (1 + 0.7 * 0.3); the last action of a run is followed by nothing.
  EXPECT_NEAR(costs.cost(1, 10), 0.72 * kOne, 2);
  EXPECT_NEAR(costs.cost(2, 20), (0.7 * 0.51 + 0.3) * kOne, 2);
}

TEST(ActionCosts, AChoiceThatTheFairnessRuleTookTeachesNothing) {
  ActionCosts costs;
  costs.learn(std::vector<ConsideredAction>{{1, 10, 0, 0}, {1, 11, 0, 0}});
  EXPECT_TRUE(costs.values().empty());
}

TEST(ActionCosts, ValuesAreSortedAndComplete) {
  ActionCosts costs;
  Random random(7);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  for (int run = 0; run < 50; ++run) {
    std::vector<ConsideredAction> considered;
    for (std::uint32_t i = 0; i < 20; ++i) {
      std::uint64_t state = random.below(40);
      std::uint64_t action = random.below(3);
      considered.push_back({state, action, i, 1});
      all.emplace_back(state, action);
    }
    costs.learn(considered);
  }
  EXPECT_TRUE(std::is_sorted(costs.values().begin(), costs.values().end()));
  EXPECT_EQ(costs.values().size(), costs.actions());
  for (auto [state, action] : all) {
    LearnedValue v = LearnedValue::make(state, action, costs.cost(state, action));
    EXPECT_TRUE(std::binary_search(costs.values().begin(), costs.values().end(), v));
    EXPECT_GT(v.cost(), 0u);
    EXPECT_LT(v.cost(), 4 * kOne);  // one over one minus the discount is 3.3
  }
}

TEST(ActionCosts, ForgetsTheOldestStatesAndStaysBounded) {
  ActionCosts costs(100);
  for (std::uint64_t run = 0; run < 1'000'000; ++run) {
    std::vector<ConsideredAction> considered = {{1, 10, 0, 1},
                                                {1'000 + run % 5'000, 1, 1, 1}};
    costs.learn(considered);
    ASSERT_LE(costs.actions(), 100u);
    ASSERT_LE(costs.visits_kept(), 201u);
    ASSERT_LE(costs.values().size(), 100u);
  }
  EXPECT_GT(costs.cost(1, 10), kOne * 9 / 10) << "visited by every run";
  EXPECT_EQ(costs.cost(1'000, 1), 0u) << "forgotten";
  EXPECT_GT(costs.cost(1'000 + 999'999 % 5'000, 1), 0u) << "visited last";
}

}  // namespace
}  // namespace rff
