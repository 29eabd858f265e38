#include "fuzzer/core/fuzz_core.h"

#include <gtest/gtest.h>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

const Location kX = variable(0x40);

FakeRun run_with_pair(std::uint32_t write_site, RunOutcome outcome = RunOutcome::kNormal) {
  FakeRun run(outcome);
  run.reads_from(write_at(kX, write_site), read_at(kX, 2));
  return run;
}

TEST(FuzzCore, StartsWithTheEmptySchedule) {
  FuzzCore core({.seed = 1});
  Schedule s = core.next_schedule(0);
  EXPECT_TRUE(s.constraints.empty());
  EXPECT_TRUE(s.prefix.empty());
  EXPECT_EQ(s.scheduler, SchedulerKind::kRff);
}

TEST(FuzzCore, RunsTheGivenCorpusFirstAsItIs) {
  FuzzCore core({.seed = 1});
  Schedule given;
  given.constraints.insert({write_at(kX, 1), read_at(kX, 2), true});
  given.seed = 99;
  given.points.sites = {{1, 2}};
  core.add_initial(given);
  Schedule s = core.next_schedule(5);
  EXPECT_EQ(s.constraints, given.constraints);
  EXPECT_EQ(s.seed, 99u);
  EXPECT_FALSE(s.points.listed);  // scheduling points are those of this campaign
  EXPECT_EQ(s.points.shared_version, 5u);
}

TEST(FuzzCore, KeepsWhatShowsANewPairOrNewControlFlow) {
  FuzzCore core({.seed = 1});
  Schedule s = core.next_schedule(0);
  EXPECT_TRUE(core.report(s, run_with_pair(1).summary()).joined);
  EXPECT_FALSE(core.report(s, run_with_pair(1).summary()).joined);
  EXPECT_TRUE(core.report(s, run_with_pair(3).summary()).joined);
  EXPECT_TRUE(core.report(s, run_with_pair(1).new_control_flow().summary()).joined);
  EXPECT_EQ(core.corpus().members().size(), 3u);
  EXPECT_EQ(core.corpus().combinations(), 2u);
}

TEST(FuzzCore, LearnsEventsFromFailuresButDoesNotKeepThem) {
  FuzzCore core({.seed = 1});
  Schedule s = core.next_schedule(0);
  FuzzCore::Verdict verdict = core.report(s, run_with_pair(1, RunOutcome::kFinding).summary());
  EXPECT_FALSE(verdict.joined);
  EXPECT_EQ(verdict.new_pairs, 1u);
  EXPECT_TRUE(core.corpus().empty());
  bool constrained = false;
  for (int i = 0; i < 20; ++i) constrained |= !core.next_schedule(0).constraints.empty();
  EXPECT_TRUE(constrained);
}

TEST(FuzzCore, SoonForbidsEveryPairItSeesForTheFirstTime) {
  FuzzCore core({.seed = 3});
  Schedule first = core.next_schedule(0);
  FakeRun run;
  for (std::uint32_t i = 0; i < 4; ++i) {
    run.reads_from(write_at(variable(0x100 + 16 * i), 10 * i),
                   read_at(variable(0x100 + 16 * i), 10 * i + 1));
  }
  core.report(first, run.summary());
  int forbidden = 0;
  for (int i = 0; i < 20; ++i) {
    Schedule s = core.next_schedule(0);
    if (s.constraints.size() == 1 && !s.constraints.constraints()[0].positive) ++forbidden;
    core.report(s, run.summary());
  }
  EXPECT_GE(forbidden, 4);
}

TEST(FreshPairs, AreTakenTwiceEachOnTopOfTheScheduleThatShowedThem) {
  FreshPairs fresh;
  AbstractSchedule shown_by;
  shown_by.insert({write_at(kX, 1), read_at(kX, 2), true});
  fresh.add(shown_by,
            {{write_at(kX, 1), read_at(kX, 2), true}, {write_at(kX, 3), read_at(kX, 2), true}});
  Random random(1);
  EventPool pool;
  std::size_t sizes = 0;
  while (auto schedule = fresh.take(random, pool)) sizes += schedule->size();
  EXPECT_EQ(sizes, 2 * (1u + 2u));  // forbidding what the schedule asks for replaces that
}

TEST(FuzzCore, LearnsNothingFromRunsTheClockCutOff) {
  FuzzCore core({.seed = 1});
  Schedule s = core.next_schedule(0);
  core.report(s, run_with_pair(1, RunOutcome::kUnresponsive).summary());
  EXPECT_TRUE(core.corpus().empty());
  EXPECT_TRUE(core.pool().events().empty());
}

TEST(FuzzCore, RepeatsFromItsSeed) {
  auto campaign = [](std::uint64_t seed) {
    FuzzCore core({.seed = seed});
    std::string all;
    for (std::uint32_t i = 0; i < 200; ++i) {
      Schedule s = core.next_schedule(i / 10);
      all += encode_schedule(s);
      auto write = static_cast<std::uint32_t>(s.seed % 17 + 100 * s.constraints.size());
      core.report(s, run_with_pair(write).points(s.seed % 50).summary());
    }
    return all;
  };
  EXPECT_EQ(campaign(5), campaign(5));
  EXPECT_NE(campaign(5), campaign(6));
}

TEST(FuzzCore, OtherSchedulersGetSeedsOnly) {
  FuzzCore core({.seed = 1, .scheduler = SchedulerKind::kPct, .pct_depth = 4});
  Schedule first = core.next_schedule(0);
  core.report(first, run_with_pair(1).points(77).summary());
  Schedule second = core.next_schedule(0);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(core.next_schedule(0).constraints.empty());
  EXPECT_EQ(second.pct_depth, 4u);
  EXPECT_EQ(second.pct_length, 77u);
  EXPECT_NE(first.seed, second.seed);
}

TEST(Corpus, AsksMembersOnlyWhatHasBeenShown) {
  Corpus corpus;
  FakeRun failing = run_with_pair(1, RunOutcome::kFinding);
  corpus.count(failing.summary());  // a failing run shows it first, but is no member
  EXPECT_TRUE(corpus.interesting(run_with_pair(1).summary()));
}

}  // namespace
}  // namespace rff
