// The examples of docs/extending.md that belong to the fuzzer: a search strategy and a report
// format.
#include <gtest/gtest.h>

#include "fuzzer/core/strategies/portfolio.h"
#include "fuzzer/core/strategies/random_strategy.h"
#include "fuzzer/core/test_runs.h"
#include "fuzzer/report/made_up_report.h"
#include "tests/extending/format_example.h"
#include "tests/extending/strategy_example.h"

namespace rff {
namespace {

TEST(StrategyExample, RunsAScheduleAgainThatShowedSomethingNew) {
  const Portfolio::ByPhase<Share> kAlways = {{{1, 1}, {1, 1}, {1, 1}, {1, 1}}};
  Portfolio portfolio({});
  auto& try_again = portfolio.add<TryAgainStrategy>();
  portfolio.ask_first(try_again, kAlways);
  portfolio.fall_back_on(portfolio.add<RandomStrategy>(RandomStrategy::Mixture{}));

  Random random(1);
  Schedule first = portfolio.propose(random);
  EXPECT_EQ(first.scheduler, SchedulerKind::kRff) << "from the fallback: nothing is known yet";

  test_data::FakeRun run;
  RunSummary summary = run.summary();
  first.scheduler = SchedulerKind::kWindow;
  first.prefix = {Decision{}, Decision{}};
  portfolio.observe(first, {.run = summary, .new_pairs = 1});
  Schedule again = portfolio.propose(random);
  EXPECT_EQ(again.scheduler, SchedulerKind::kWindow);
  EXPECT_EQ(again.prefix, first.prefix);
  EXPECT_NE(again.seed, first.seed);
  EXPECT_EQ(portfolio.propose(random).scheduler, SchedulerKind::kRff) << "once only";

  portfolio.observe(first, {.run = summary, .new_pairs = 0});
  EXPECT_EQ(portfolio.propose(random).scheduler, SchedulerKind::kRff) << "nothing new";
}

TEST(StrategyExample, GivesUpItsOrdersWhenMemoryIsShort) {
  TryAgainStrategy strategy;
  test_data::FakeRun run;
  RunSummary summary = run.summary();
  strategy.observe({}, {.run = summary, .new_pairs = 1});
  strategy.release_orders();
  Random random(1);
  EXPECT_FALSE(strategy.propose(random));
}

TEST(FormatExample, WritesOneLineForAFinding) {
  const ReportFormat& csv = kExampleFormats[0];
  EXPECT_EQ(csv.write(made_up_report()),
            "\"assert\",\"race\",\"race.c:21\",\"Assertion `flag == 0' failed\"\n");
  FindingReport report = made_up_report();
  report.summary = "says \"no\", and stops";
  EXPECT_TRUE(csv.write(report).ends_with(",\"says \"\"no\"\", and stops\"\n"));
  for (const ReportFormat& other : report_formats()) {
    EXPECT_TRUE(other.name != csv.name && other.extension != csv.extension);
  }
}

}  // namespace
}  // namespace rff
