#include "fuzzer/core/strategies/portfolio.h"

#include <gtest/gtest.h>

#include <map>

#include "fuzzer/core/strategies/weighted_strategy.h"
#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using test_data::FakeRun;

// The smallest strategy: proposes a number of schedules that are recognizable by their patience,
// and counts the runs that it observes.
class DummyStrategy : public Strategy {
 public:
  explicit DummyStrategy(std::uint32_t patience, int left = 1'000'000)
      : patience_(patience), left_(left) {}

  std::string_view name() const override { return std::string_view("-mof").substr(patience_, 1); }
  std::optional<Schedule> propose(Random& random) override {
    if (left_-- <= 0) {
      return std::nullopt;
    }
    Schedule schedule;
    schedule.patience = patience_;
    schedule.seed = random.next();
    return schedule;
  }
  void observe(const Schedule& /*schedule*/, const Lesson& lesson) override {
    ++observed;
    observed_own += lesson.proposer == this ? 1 : 0;
  }
  void release_orders() override { released = true; }

  int observed = 0;
  int observed_own = 0;
  bool released = false;

 private:
  std::uint32_t patience_;
  int left_;
};

constexpr std::uint32_t kMine = 1;
constexpr std::uint32_t kOther = 2;
constexpr std::uint32_t kFallback = 3;

template <typename T>
Portfolio::ByPhase<T> always(T value) {
  return {value, value, value, value};
}

// Returns patience → number of proposals with it, out of `n`.
std::map<std::uint32_t, int> count(Portfolio& portfolio, int n) {
  Random random(1);
  std::map<std::uint32_t, int> counts;
  for (int i = 0; i < n; ++i) {
    ++counts[portfolio.propose(random).patience];
  }
  return counts;
}

TEST(Portfolio, GivesAStrategyItsShareAndShowsItEveryRun) {
  Portfolio portfolio({});
  auto& mine = portfolio.add<DummyStrategy>(kMine);
  auto& fallback = portfolio.add<DummyStrategy>(kFallback);
  portfolio.ask_first(mine, always(Share{1, 4}));
  portfolio.fall_back_on(fallback);

  FakeRun run;
  RunSummary summary = run.summary();
  Random random(1);
  int proposed = 0;
  for (int i = 0; i < 1000; ++i) {
    Schedule schedule = portfolio.propose(random);
    proposed += schedule.patience == kMine ? 1 : 0;
    portfolio.observe(schedule, {.run = summary});
  }
  EXPECT_NEAR(proposed, 250, 50);
  EXPECT_EQ(mine.observed, 1000);
  EXPECT_EQ(mine.observed_own, proposed);
  EXPECT_EQ(fallback.observed_own, 1000 - proposed);
}

TEST(Portfolio, SharesTheRestByWeight) {
  Portfolio portfolio({});
  portfolio.share_rest(portfolio.add<DummyStrategy>(kMine), always(30u));
  portfolio.share_rest(portfolio.add<DummyStrategy>(kOther), always(10u));
  portfolio.fall_back_on(portfolio.add<DummyStrategy>(kFallback));
  std::map<std::uint32_t, int> counts = count(portfolio, 1000);
  EXPECT_NEAR(counts[kMine], 750, 50);
  EXPECT_EQ(counts[kMine] + counts[kOther], 1000);
}

TEST(Portfolio, FallsBackWhereAStrategyHasNoProposal) {
  Portfolio portfolio({});
  portfolio.ask_first(portfolio.add<DummyStrategy>(kMine, 3), always(Share{1, 1}));
  portfolio.share_rest(portfolio.add<DummyStrategy>(kOther, 4), always(1u));
  portfolio.fall_back_on(portfolio.add<DummyStrategy>(kFallback));
  EXPECT_EQ(count(portfolio, 10),
            (std::map<std::uint32_t, int>{{kMine, 3}, {kOther, 4}, {kFallback, 3}}));
}

TEST(Portfolio, ChangesSharesFromPhaseToPhase) {
  Portfolio portfolio({OpeningRun::kEmptySchedule}, {5, 15, 25});
  portfolio.ask_first(portfolio.add<DummyStrategy>(kMine), {{{1, 1}, kNever, kNever, {1, 1}}});
  portfolio.share_rest(portfolio.add<DummyStrategy>(kOther), {0, 1, 0, 0});
  portfolio.fall_back_on(portfolio.add<DummyStrategy>(kFallback));
  EXPECT_EQ(count(portfolio, 1 + 30),
            (std::map<std::uint32_t, int>{
                {Schedule().patience, 1}, {kMine, 10}, {kOther, 10}, {kFallback, 10}}));
}

TEST(Portfolio, AStrategyWithoutAShareDrawsNoRandomNumber) {
  Portfolio with({});
  with.ask_first(with.add<DummyStrategy>(kMine), always(kNever));
  with.share_rest(with.add<DummyStrategy>(kOther), always(0u));
  with.fall_back_on(with.add<DummyStrategy>(kFallback));
  Portfolio without({});
  without.fall_back_on(without.add<DummyStrategy>(kFallback));
  Random random(1);
  Random same(1);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(with.propose(random).seed, without.propose(same).seed);
  }
}

TEST(Portfolio, NamesTheProposerOfItsLatestProposalOnly) {
  Portfolio portfolio({});
  auto& mine = portfolio.add<DummyStrategy>(kMine);
  portfolio.fall_back_on(mine);
  FakeRun run;
  RunSummary summary = run.summary();
  Random random(1);
  Schedule earlier = portfolio.propose(random);
  Schedule latest = portfolio.propose(random);
  portfolio.observe(earlier, {.run = summary});
  EXPECT_EQ(mine.observed_own, 0);
  portfolio.observe(latest, {.run = summary});
  EXPECT_EQ(mine.observed_own, 1);
}

TEST(Portfolio, TalliesWhatEachStrategyBrought) {
  Portfolio portfolio({OpeningRun::kEmptySchedule});
  portfolio.ask_first(portfolio.add<DummyStrategy>(kMine, 2), always(Share{1, 1}));
  portfolio.fall_back_on(portfolio.add<DummyStrategy>(kFallback));
  FakeRun run;
  RunSummary summary = run.summary();
  RunSummary failure = summary;
  failure.outcome = RunOutcome::kFinding;
  Random random(1);
  for (int i = 0; i < 6; ++i) {
    Schedule schedule = portfolio.propose(random);
    EXPECT_EQ(portfolio.proposer(), i == 0 ? "opening" : i < 3 ? "m" : "f");
    portfolio.observe(
        schedule,
        {.run = i == 2 ? failure : summary, .new_pairs = i < 2 ? 5u : 0u, .new_path = i == 5});
  }
  ASSERT_EQ(portfolio.tallies().size(), 3u);
  auto expect = [&](std::size_t i, const Tally& expected) {
    const Tally& t = portfolio.tallies()[i];
    EXPECT_EQ(t.strategy, expected.strategy);
    EXPECT_EQ(t.proposals, expected.proposals);
    EXPECT_EQ(t.new_pairs, expected.new_pairs);
    EXPECT_EQ(t.new_paths, expected.new_paths);
    EXPECT_EQ(t.failures, expected.failures);
  };
  expect(0, {"opening", 1, 1, 0, 0});
  expect(1, {"m", 2, 1, 0, 1});
  expect(2, {"f", 3, 0, 1, 0});
}

TEST(Portfolio, CountsTheRunsThatServeOnlyEstimates) {
  Portfolio portfolio({});
  portfolio.fall_back_on(portfolio.add<WeightedStrategy>(SchedulerKind::kUniform));
  FakeRun run;
  RunSummary summary = run.summary();
  Random random(1);
  for (int i = 0; i < 3; ++i) {
    Schedule schedule = portfolio.propose(random);
    portfolio.observe(schedule, {.run = summary});
  }
  ASSERT_EQ(portfolio.tallies().size(), 2u);  // the opening is the first
  EXPECT_EQ(portfolio.tallies()[1].proposals, 3u);
  EXPECT_EQ(portfolio.tallies()[1].counts.profiles, 1u);
}

TEST(Portfolio, AsksEveryStrategyToReleaseOrders) {
  Portfolio portfolio({});
  auto& mine = portfolio.add<DummyStrategy>(kMine);
  portfolio.release_orders();
  EXPECT_TRUE(mine.released);
}

}  // namespace
}  // namespace rff
