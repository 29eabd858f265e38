#include "fuzzer/core/fuzz_core.h"

#include <gtest/gtest.h>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

FakeRun run_with_pair(std::uint32_t write_site, RunOutcome outcome = RunOutcome::kNormal) {
  FakeRun run(outcome);
  run.reads_from(write_at(kX, write_site), read_at(kX, 2));
  return run;
}

TEST(FuzzCore, StartsWithARoundRobinRunInStepThatStopsEverywhere) {
  FuzzCore core({.seed = 1});
  Schedule s = core.next_schedule(0);
  EXPECT_EQ(s.scheduler, SchedulerKind::kRoundRobin);
  EXPECT_EQ(s.seed % 2, 0u);
  EXPECT_TRUE(s.points.every_access);
  EXPECT_TRUE(s.constraints.empty());
}

TEST(FuzzCore, ThePaperStartsWithTheEmptySchedule) {
  FuzzCore core({.seed = 1, .search = {.paper = true}});
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
  FuzzCore core({.seed = 1, .search = {.paper = true}});
  Schedule s = core.next_schedule(0);
  EXPECT_TRUE(core.report(s, run_with_pair(1).summary()).joined);
  EXPECT_FALSE(core.report(s, run_with_pair(1).summary()).joined);
  EXPECT_TRUE(core.report(s, run_with_pair(3).summary()).joined);
  EXPECT_TRUE(core.report(s, run_with_pair(1).new_control_flow().summary()).joined);
  EXPECT_EQ(core.corpus().members().size(), 3u);
  EXPECT_EQ(core.corpus().combinations(), 2u);
}

TEST(FuzzCore, LearnsEventsFromFailuresButDoesNotKeepThem) {
  FuzzCore core({.seed = 1, .search = {.paper = true}});
  Schedule s = core.next_schedule(0);
  FuzzCore::Verdict verdict = core.report(s, run_with_pair(1, RunOutcome::kFinding).summary());
  EXPECT_FALSE(verdict.joined);
  EXPECT_EQ(verdict.new_pairs, 1u);
  EXPECT_TRUE(core.corpus().empty());
  bool constrained = false;
  for (int i = 0; i < 20; ++i) constrained |= !core.next_schedule(0).constraints.empty();
  EXPECT_TRUE(constrained);
}

TEST(FuzzCore, LearnsNothingFromRunsTheClockCutOff) {
  FuzzCore core({.seed = 1});
  Schedule s = core.next_schedule(0);
  core.report(s, run_with_pair(1, RunOutcome::kUnresponsive).summary());
  EXPECT_TRUE(core.corpus().empty());
  EXPECT_TRUE(core.pool().events().empty());
}

// Two threads access x twice each: the search must soon propose another order.
TEST(FuzzCore, ReversesRaces) {
  FuzzCore core({.seed = 4});
  FakeRun run;
  run.reads_from(write_at(kX, 1), read_at(kX, 2));
  run.step(1, write_at(kX, 1), 0x40).step(2, read_at(kX, 2), 0x40);
  Schedule s = core.next_schedule(0);
  core.report(s, run.summary());
  bool read_first = false;
  for (int i = 0; i < 10; ++i) {
    s = core.next_schedule(0);
    read_first |= s.guided && s.prefix.size() == 1 && s.prefix[0].thread == 2;
    core.report(s, run.summary());
  }
  EXPECT_TRUE(read_first);
}

TEST(FuzzCore, TakesOverGuidedSchedulesOfAnEarlierCampaign) {
  FuzzCore core({.seed = 1});
  Schedule given;
  given.guided = true;
  given.scheduler = SchedulerKind::kSteady;
  given.prefix = {{1, 5}, {2, 6}};
  core.add_initial(given);
  Schedule s = core.next_schedule(0);
  EXPECT_TRUE(s.guided);
  EXPECT_EQ(s.prefix, given.prefix);
  EXPECT_EQ(s.scheduler, SchedulerKind::kSteady);
}

TEST(FuzzCore, RepeatsFromItsSeed) {
  auto campaign = [](std::uint64_t seed) {
    FuzzCore core({.seed = seed});
    std::string all;
    for (std::uint32_t i = 0; i < 200; ++i) {
      Schedule s = core.next_schedule(i / 10);
      all += encode_schedule(s);
      auto write = static_cast<std::uint32_t>(s.seed % 17 + 100 * s.constraints.size());
      FakeRun run = run_with_pair(write);
      run.points(s.seed % 50);
      for (std::uint16_t k = 0; k < 12; ++k) {
        auto thread = static_cast<std::uint16_t>((s.seed >> k) % 3);
        run.step(thread, k % 2 == 0 ? read_at(kX, thread) : write_at(kX, write), 0x40, k);
      }
      core.report(s, run.summary());
    }
    return all;
  };
  EXPECT_EQ(campaign(5), campaign(5));
  EXPECT_NE(campaign(5), campaign(6));
}

TEST(FuzzCore, OtherSchedulersGetSeedsOnly) {
  FuzzCore core({.seed = 1, .search = {.scheduler = SchedulerKind::kPct, .depth = 4}});
  Schedule first = core.next_schedule(0);
  core.report(first, run_with_pair(1).points(77).summary());
  Schedule second = core.next_schedule(0);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(core.next_schedule(0).constraints.empty());
  EXPECT_EQ(second.pct_depth, 4u);
  EXPECT_EQ(second.pct_length, 77u);
  EXPECT_NE(first.seed, second.seed);
}

// A signal found two threads waiting, so runs with few preemptions follow. Their delays come within
// a run as it is when it does not stop everywhere.
TEST(FuzzCore, SeveralWaitersBringRunsWithFewPreemptions) {
  const Location condition = variable(0x100);
  FakeRun run;
  run.step(1, object_event(OpKind::kWait, condition, 1), 0x100);
  run.step(2, object_event(OpKind::kWait, condition, 1), 0x100);
  run.step(3, object_event(OpKind::kSignal, condition, 2), 0x100);
  FuzzCore core({.seed = 1});
  core.report(core.next_schedule(0), run.points(900).summary());
  int delays = 0;
  for (int i = 0; i < 12; ++i) {
    Schedule s = core.next_schedule(0);
    if (s.scheduler == SchedulerKind::kDelay) {
      ++delays;
      EXPECT_EQ(s.delay_bound, 2u);
      EXPECT_EQ(s.pct_length, i == 0 ? 0u : 50u);
    } else {
      EXPECT_EQ(s.pct_length, 0u);
    }
    core.report(s, run.points(50).summary());
  }
  EXPECT_EQ(delays, 3);
}

TEST(Corpus, AsksMembersOnlyWhatHasBeenShown) {
  Corpus corpus;
  FakeRun failing = run_with_pair(1, RunOutcome::kFinding);
  corpus.count(failing.summary());  // a failing run shows it first, but does not become a member
  EXPECT_TRUE(corpus.interesting(run_with_pair(1).summary()));
}

}  // namespace
}  // namespace rff
