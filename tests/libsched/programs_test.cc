// Tests one program of programs.json, end to end: programs_test PLAIN PATCHED EXPECT BUDGET
// [CHECK], where PLAIN may be "-" for a program that waits without calling anything, which the
// runtime can see only in patched code. CHECK: the value of --check.
//
// The program runs the same on both carriers. A correct program ends normally under every
// scheduler, patched or not, and every run repeats exactly. A program with a bug shows it within
// its budget of schedules, and the schedule found replays exactly in a fresh process, on both
// carriers.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "tests/support/runner.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

struct Program {
  std::string plain, patched, expect;
  std::uint64_t budget = 0;
  std::string check;
} program;

void use_check() {
  if (!program.check.empty()) {
    Checks checks;
    checks.bits = parse_check_words(program.check).value();
    setenv(kChecksVariable, checks_to_text(checks).c_str(), 1);
  }
}

constexpr SchedulerKind kSchedulers[] = {SchedulerKind::kPos, SchedulerKind::kRandom,
                                         SchedulerKind::kPct, SchedulerKind::kRff};
constexpr std::uint64_t kHangSteps = 3000;  // far more than any of these programs needs

struct Summary {
  std::uint64_t trace_hash;
  std::uint64_t combination;
  std::vector<Decision> decisions;
  RunOutcome outcome;
  FindingKind finding;
  std::string message;
  int wait_status;
  bool operator==(const Summary&) const = default;
};

// Returns what must be the same whenever a schedule is run. Events from outside the process come at
// any time: with them, only the end of the run must be the same.
Summary summary(const RunResult& r, bool outside = false) {
  Summary s{r.run().trace_hash, r.run().rf_combination, r.decisions(),
            r.run().outcome,    r.run().finding,        r.message(),
            r.wait_status};
  if (outside) {
    s.trace_hash = s.combination = 0;
    s.decisions.clear();
  }
  return s;
}

bool touched_outside(const RunResult& r) { return (r.run().flags & kTouchedOutside) != 0; }

// Checks the feedback to the search: every pair is a write and a read of one place, and every index
// is that of an event of the list. A step is the event at which its thread had stopped, except for
// a lock or a compare-exchange that failed.
void expect_right_feedback(const RunRecord& run) {
  std::size_t known = run.event_list.size();
  for (const ReadsFromPair& pair : run.pairs) {
    ASSERT_LT(pair.write, known);
    ASSERT_LT(pair.read, known);
    const AbstractEvent& write = run.event_list.items[pair.write];
    const AbstractEvent& read = run.event_list.items[pair.read];
    bool grown = write.place == LocationKind::kHeap && read.place == LocationKind::kHeap &&
                 write.base != read.base;
    ASSERT_TRUE(write.writes() && read.reads() && (grown || same_location(write, read)))
        << describe(read) << " from " << describe(write);
  }
  for (const Step& step : run.steps) {
    ASSERT_LT(step.event, known);
    const AbstractEvent& event = run.event_list.items[step.event];
    bool may_have_failed = event.op == OpKind::kTryLockFailed || event.op == OpKind::kRead;
    bool stopped_there = EventCheck(step.check).matches(event.id());
    ASSERT_TRUE(step.check == 0 || may_have_failed || stopped_there) << describe(event);
  }
}

std::ostream& operator<<(std::ostream& out, const Summary& s) {
  return out << "trace " << s.trace_hash << ", " << s.decisions.size() << " decisions, outcome "
             << static_cast<unsigned>(s.outcome) << " " << s.message << ", status "
             << s.wait_status;
}

std::string text(SchedulerKind kind, std::uint64_t seed) {
  return std::string(scheduler_name(kind)) + " with seed " + std::to_string(seed);
}

void runs_clean(const std::string& path) {
  SCOPED_TRACE(path);
  Server server({path});
  Runner runner({path});
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (SchedulerKind kind : kSchedulers) {
      SCOPED_TRACE(text(kind, seed));
      Schedule s = server.schedule(kind, seed);
      s.max_steps = kHangSteps;
      RunResult r = server.run(s);
      bool outside = touched_outside(r);
      Summary first = summary(r, outside);
      ASSERT_TRUE(r.ended()) << first;
      ASSERT_TRUE(WIFEXITED(r.wait_status) && WEXITSTATUS(r.wait_status) == 0) << r.wait_status;
      ASSERT_NO_FATAL_FAILURE(expect_right_feedback(r.run()));
      ASSERT_EQ(summary(server.run(s), outside), first);
      if (seed == 2) {
        ASSERT_EQ(summary(runner.run(s), outside), first) << "in a process of its own";
      }
      server.learn();
    }
  }
}

TEST(CorrectProgram, EndsUnderEverySchedulerAndRepeatsExactly) {
  if (program.expect != "none") {
    GTEST_SKIP();
  }
  runs_clean(program.patched);
  if (program.plain != "-" && !HasFatalFailure()) {
    runs_clean(program.plain);
  }
}

TEST(FaultyProgram, IsFoundOutWithinItsBudgetAndReplaysExactly) {
  if (program.expect == "none") {
    GTEST_SKIP();
  }
  Server server({program.patched});
  Runner runner({program.patched});
  for (std::uint64_t i = 0; i < program.budget; ++i) {
    SchedulerKind kind = kSchedulers[i % 4];
    Schedule s = server.schedule(kind, 1 + i / 4);
    s.max_steps = kHangSteps;
    RunResult r = server.run(s);
    if (r.ended()) {
      server.learn();
      continue;
    }
    SCOPED_TRACE(text(kind, 1 + i / 4));
    Summary first = summary(r);
    ASSERT_TRUE(r.found()) << first;
    ASSERT_EQ(finding_name(r.run().finding), program.expect) << first;
    Schedule replay = runner.replay(s, r);
    for (const char* carrier : {"fiber", "thread"}) {
      setenv(kCarrierVariable, carrier, 1);
      ASSERT_EQ(summary(runner.run(replay)), first) << carrier;
    }
    return;
  }
  FAIL() << "not found in " << program.budget << " schedules";
}

// Without the check no run crashes, and nothing is found.
TEST(FaultyProgram, IsSilentWithoutTheCheck) {
  if (program.check.empty()) {
    GTEST_SKIP();
  }
  unsetenv(kChecksVariable);
  Server server({program.patched});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (SchedulerKind kind : kSchedulers) {
      SCOPED_TRACE(text(kind, seed));
      RunResult r = server.run(server.schedule(kind, seed));
      ASSERT_TRUE(r.ended()) << r.message();
      server.learn();
    }
  }
  use_check();
}

// On either carrier, the same schedule is the same run, event by event. With events from outside
// the process, only the end is the same.
TEST(EveryProgram, RunsTheSameOnFibersAndOnKernelThreads) {
  setenv(kCarrierVariable, "fiber", 1);
  Server fibers({program.patched});
  setenv(kCarrierVariable, "thread", 1);
  Server threads({program.patched});
  unsetenv(kCarrierVariable);
  for (std::uint64_t seed = 11; seed <= 13; ++seed) {
    for (SchedulerKind kind : {SchedulerKind::kPos, SchedulerKind::kPct}) {
      SCOPED_TRACE(text(kind, seed));
      Schedule s = fibers.schedule(kind, seed);
      s.max_steps = kHangSteps;
      RunResult r = fibers.run(s);
      ASSERT_EQ(r.shared->carrier, 1u);
      bool outside = touched_outside(r);
      Summary first = summary(r, outside);
      ASSERT_NO_FATAL_FAILURE(expect_right_feedback(r.run()));
      RunResult again = threads.run(s);
      ASSERT_EQ(again.shared->carrier, 0u);
      ASSERT_EQ(summary(again, outside), first);
      fibers.learn();
    }
  }
}

}  // namespace
}  // namespace rff::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 5 && argc != 6) {
    std::fprintf(stderr, "usage: programs_test PLAIN|- PATCHED EXPECT BUDGET [CHECK]\n");
    return 2;
  }
  rff::test::program = {argv[1], argv[2], argv[3], std::strtoull(argv[4], nullptr, 0),
                        argc == 6 ? argv[5] : ""};
  rff::test::use_check();
  return RUN_ALL_TESTS();
}
