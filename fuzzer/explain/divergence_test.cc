#include "fuzzer/explain/divergence.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

Finding crash_after(std::vector<Decision> decisions) {
  return {.kind = FindingKind::kCrash,
          .place = {1, 2},
          .trace_hash = 3,
          .decisions = std::move(decisions)};
}

Run run_with(Finding finding) {
  Run run;
  run.outcome = finding.kind == FindingKind::kNone ? RunOutcome::kNormal : RunOutcome::kFinding;
  run.finding = std::move(finding);
  return run;
}

TEST(DivergenceOfRuns, IsEmptyForTheSameRun) {
  Finding expected = crash_after({{0, 1}, {1, 2}});
  EXPECT_EQ(divergence_of_runs(expected, run_with(expected)), "");
}

TEST(DivergenceOfRuns, NamesTheFirstDecisionThatDiffers) {
  EXPECT_EQ(divergence_of_runs(crash_after({{0, 1}, {1, 2}}),
                               run_with(crash_after({{0, 1}, {2, 2}, {0, 0}}))),
            "decision 2 of 2: first thread 1 ran, then thread 2");
}

TEST(DivergenceOfRuns, SeesOutcomesLengthsAndValues) {
  Finding expected = crash_after({{0, 1}});
  EXPECT_EQ(divergence_of_runs(expected, run_with({.decisions = {{0, 1}}})),
            "first crash, then no failure");
  EXPECT_EQ(divergence_of_runs(expected, run_with(crash_after({{0, 1}, {0, 2}}))),
            "first 1 decisions, then 2");
  Finding other_values = expected;
  other_values.trace_hash = 77;
  EXPECT_EQ(divergence_of_runs(expected, run_with(other_values)),
            "the same decisions, but other events or values");
}

TEST(DivergenceOfRuns, TellsARunThatWasKilledFromOneThatTheRuntimeEnded) {
  rff::Run run;
  run.outcome = RunOutcome::kUnresponsive;
  EXPECT_EQ(divergence_of_runs(crash_after({}), run), "the second run did not end in time");
  run.killed = true;
  EXPECT_EQ(divergence_of_runs(crash_after({}), run), "the run did not end");
}

trace::EventInfo event(std::uint64_t step, std::uint32_t thread) {
  trace::EventInfo e{};
  e.step = step;
  e.thread = thread;
  e.event.op = OpKind::kYield;
  return e;
}

TEST(DivergenceOfTraces, NamesTheFirstEventThatDiffers) {
  DebugInfo debug;
  Trace one;
  one.events = {event(1, 0), event(2, 0)};
  EXPECT_EQ(divergence_of_traces(one, one, debug), "");
  Trace other = one;
  other.events.pop_back();
  std::string text = divergence_of_traces(one, other, debug);
  EXPECT_TRUE(text.starts_with("event 2 of the trace was thread ")) << text;
  EXPECT_TRUE(text.ends_with("in the first run, and nothing here")) << text;
}

TEST(NotedDivergence, IsEmptyIfTheRuntimeCouldFollow) {
  DebugInfo debug;
  EXPECT_EQ(noted_divergence(rff::Run{}, 3, debug, {}), "");
}

}  // namespace
}  // namespace rff
