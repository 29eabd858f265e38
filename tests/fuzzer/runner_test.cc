// Unit tests of the runner, with a launcher that only pretends to run a program (fake_launcher.cc).
#include "fuzzer/run/runner.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>

namespace rff {
namespace {

constexpr char kLauncher[] = RFF_STAGE "/bin/rff-launch";

Schedule schedule_for(const std::string& behavior) {
  Schedule s;
  s.target.path = RFF_STAGE "/prog.patched";
  s.target.arguments = {behavior};
  return s;
}

Run run(const std::string& behavior, Runner::Settings settings = {}) {
  settings.launcher = kLauncher;
  return Runner(std::move(settings)).run(schedule_for(behavior));
}

// Returns the message of the ToolError that a run throws; empty if it throws none.
std::string failure(Runner::Settings settings, const Schedule& schedule) {
  try {
    Runner(std::move(settings)).run(schedule);
  } catch (const ToolError& error) {
    EXPECT_EQ(error.status, kToolFailed);
    return error.what();
  }
  return "";
}

TEST(Runner, HandsBackWhatTheRunReported) {
  rff::Run r = run("");
  EXPECT_EQ(r.outcome, RunOutcome::kNormal);
  EXPECT_FALSE(r.failed());
  EXPECT_FALSE(r.killed);
  EXPECT_EQ(r.events, 10u);
  EXPECT_EQ(r.finding.decisions.size(), 5u);
  EXPECT_EQ(r.event_list.size(), 10u);
  EXPECT_TRUE(WIFEXITED(r.wait_status) && WEXITSTATUS(r.wait_status) == 0);
}

TEST(Runner, HandsBackAFailure) {
  rff::Run r = run("crash");
  EXPECT_EQ(r.outcome, RunOutcome::kFinding);
  EXPECT_EQ(r.finding.kind, FindingKind::kAssert);
  EXPECT_EQ(r.finding.failure.words, "assertion 'x' failed");
  EXPECT_TRUE(WIFSIGNALED(r.wait_status) && WTERMSIG(r.wait_status) == SIGABRT);
}

TEST(Runner, RunsTheScheduleItIsGiven) {
  Runner runner({.launcher = kLauncher});
  Schedule s = schedule_for("");
  rff::Run first = runner.run(s);
  bool other = false;
  for (s.seed = 1; s.seed < 20; ++s.seed) {
    other |= runner.run(s).finding.trace_hash != first.finding.trace_hash;
  }
  EXPECT_TRUE(other);
  s.seed = Schedule{}.seed;
  EXPECT_EQ(runner.run(s).finding.trace_hash, first.finding.trace_hash);
  EXPECT_EQ(runner.runs(), 21u);
}

TEST(Runner, ReadsTheTraceItWasAskedFor) {
  EXPECT_TRUE(run("").trace.notes.empty());
  EXPECT_EQ(run("", {.tracing = Runner::Tracing::kShared}).trace.notes,
            std::vector<std::string>{"shared"});
  EXPECT_EQ(run("", {.tracing = Runner::Tracing::kEverything}).trace.notes,
            std::vector<std::string>{"everything"});
}

TEST(Runner, KeepsStandardOutputIfAskedTo) {
  EXPECT_EQ(run("talks").output, "");
  EXPECT_EQ(run("talks", {.keep_output = true}).output, "carrier unset\n");
}

TEST(Runner, TellsTheRuntimeTheCarrier) {
  EXPECT_EQ(run("talks", {.carrier = "thread", .keep_output = true}).output, "carrier thread\n");
  Runner runner({.launcher = kLauncher, .keep_output = true});
  runner.use_carrier("fiber");
  EXPECT_EQ(runner.run(schedule_for("talks")).output, "carrier fiber\n");
}

TEST(Runner, KillsARunThatDoesNotEnd) {
  int ticks = 0;
  rff::Run r = run("hangs", {.timeout = 0.05, .tick = [&] { ++ticks; }});
  EXPECT_TRUE(r.killed);
  EXPECT_EQ(r.outcome, RunOutcome::kUnresponsive);
  EXPECT_TRUE(WIFSIGNALED(r.wait_status) && WTERMSIG(r.wait_status) == SIGKILL);
  EXPECT_GT(ticks, 0);
}

TEST(Runner, StopsAtOnceWhenItsFlagIsSet) {
  std::atomic<bool> stop{false};
  Runner runner({.launcher = kLauncher, .tick = [&] { stop = true; }});
  runner.stop_when(stop);
  EXPECT_THROW(runner.run(schedule_for("hangs")), Interrupted);
  EXPECT_THROW(runner.run(schedule_for("")), Interrupted) << "not even started";
  EXPECT_EQ(runner.runs(), 1u);
}

TEST(Runner, SaysWhyThereIsNoRun) {
  EXPECT_EQ(failure({.launcher = kLauncher}, schedule_for("absent")),
            "the runtime did not start in " RFF_STAGE "/prog.patched: cannot preload the runtime");
  EXPECT_EQ(failure({.launcher = "/nowhere/rff-launch"}, schedule_for("")),
            "cannot start /nowhere/rff-launch: No such file or directory");
}

TEST(Runner, LeavesMemoryThatWasTakenAsItIs) {
  Runner runner({.launcher = kLauncher});
  runner.run(schedule_for("crash"));
  std::shared_ptr<SharedMemory> taken = runner.take_memory();
  runner.run(schedule_for(""));
  EXPECT_EQ(taken->run.outcome.load(), RunOutcome::kFinding);
  EXPECT_EQ(runner.take_memory()->run.outcome.load(), RunOutcome::kNormal);
}

TEST(Runner, LeavesNoFilesBehind) {
  auto files = [] {
    std::size_t n = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::temp_directory_path())) {
      n += entry.path().filename().string().starts_with("rff-run-") ? 1 : 0;
    }
    return n;
  };
  std::string own = testing::TempDir() + "runner-test-XXXXXX";
  ASSERT_NE(::mkdtemp(own.data()), nullptr);
  ::setenv("TMPDIR", own.c_str(), 1);
  {
    Runner runner({.launcher = kLauncher, .tracing = Runner::Tracing::kShared});
    runner.run(schedule_for(""));
    EXPECT_EQ(files(), 1u);
  }
  EXPECT_EQ(files(), 0u);
  ::unsetenv("TMPDIR");
  std::filesystem::remove_all(own);
}

}  // namespace
}  // namespace rff
