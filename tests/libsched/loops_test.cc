// loops_test LOOP [all]: tests loops that end, loops whose state repeats, and loops that count
// forever. Only loops whose state repeats are hangs, which replay in a fresh process on both
// carriers; loops that count forever are unresponsive. `all` tests more kinds. See loop.c.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "fuzzer/common/finding_words.h"
#include "tests/support/program.h"
#include "tests/support/runner.h"

namespace rff::test {
namespace {

std::string program;
bool all = false;

struct Loop {
  std::string kind, mode;
  std::uint64_t rounds = 0;
};

// The time limit of a run in milliseconds: a loop that ends or hangs must have done so before,
// however slow the machine is.
constexpr std::uint32_t kTimeout = 10'000, kLongTimeout = 120'000;
constexpr std::uint32_t kShortTimeout = 1000;  // for loops that never end
constexpr std::uint64_t kAlwaysEnds = 20'000;  // a loop with at most this many rounds ends in time

// A loop that reads state from outside the process does not repeat by itself.
const std::set<std::string> kFromOutside = {"clock", "deadline", "file",
                                            "child", "mapped",   "segment"};

std::set<std::string> expected(const Loop& loop) {
  if (loop.mode == "ends") {
    return loop.rounds <= kAlwaysEnds ? std::set<std::string>{"ends"}
                                      : std::set<std::string>{"ends", "unresponsive"};
  }
  bool repeats = loop.mode == "repeats" && !kFromOutside.contains(loop.kind);
  // The deadline of the counting loop is reached.
  return {repeats                                            ? "hang"
          : loop.kind == "deadline" && loop.mode == "counts" ? "ends"
                                                             : "unresponsive"};
}

rff::Run run(const Loop& loop, SchedulerKind scheduler, const char* carrier,
             const Finding* recorded = nullptr) {
  std::uint32_t timeout = kLongTimeout;
  if (expected(loop).contains("unresponsive")) {
    timeout = loop.mode == "ends" || all ? kTimeout : kShortTimeout;
  }
  rff::Runner runner(
      {.launcher = launcher(), .carrier = carrier, .timeout = 180, .schedule_timeout_ms = timeout});
  Schedule s;
  s.scheduler = scheduler;
  s.seed = 7;
  s.target.path = program;
  s.target.arguments = {loop.kind, loop.mode, std::to_string(loop.rounds)};
  if (recorded != nullptr) {
    s.finding = *recorded;
  }
  return runner.run(s);
}

std::string verdict(const rff::Run& r) {
  return r.outcome == RunOutcome::kNormal         ? "ends"
         : r.outcome == RunOutcome::kUnresponsive ? (r.killed ? "killed" : "unresponsive")
         : r.failed()                             ? std::string(finding_name(r.finding.kind))
                                                  : "lost";
}

void check(const Loop& loop, SchedulerKind scheduler) {
  SCOPED_TRACE(loop.kind + " " + loop.mode + " " + std::to_string(loop.rounds) + " " +
               std::string(scheduler_name(scheduler)));
  rff::Run first = run(loop, scheduler, "fiber");
  EXPECT_TRUE(expected(loop).contains(verdict(first)))
      << verdict(first) << " " << finding_words(first.finding);
  if (verdict(first) == "unresponsive") {
    EXPECT_FALSE(first.finding.failure.waits.empty());
    EXPECT_NE(first.finding.place, CodeName{});
  }
  if (verdict(first) == "hang") {
    EXPECT_LT(first.finding.decisions.size(), 40'000u);
    for (const char* carrier : {"fiber", "thread"}) {
      rff::Run again = run(loop, scheduler, carrier, &first.finding);
      EXPECT_EQ(verdict(again), "hang") << carrier;
      EXPECT_EQ(again.finding.trace_hash, first.finding.trace_hash) << carrier;
      EXPECT_EQ(again.finding.decisions, first.finding.decisions) << carrier;
    }
  }
}

const std::vector<std::string> kKinds = {
    "register", "stack",    "heap",       "variable", "shared",         "around",
    "private",  "yield",    "sleep",      "try_lock", "exchange",       "compare_exchange",
    "clock",    "deadline", "under_lock", "file",     "without_memory", "memory_alone",
    "child",    "mapped",   "segment"};

TEST(Loops, ThoseWhoseStateRepeatsHang) {
  std::vector<std::string> some = {"register", "around", "private", "sleep", "try_lock"};
  for (const std::string& kind : all ? kKinds : some) {
    check({kind, "repeats"}, SchedulerKind::kPos);
    if (all) {
      check({kind, "repeats"}, SchedulerKind::kRandom);
      check({kind, "repeats"}, SchedulerKind::kPct);
    }
  }
}

TEST(Loops, ThoseThatEndAreNoHangs) {
  for (const std::string& kind : kKinds) {
    check({kind, "ends", kAlwaysEnds}, SchedulerKind::kPos);
    for (std::uint64_t rounds : {1ul, 100ul, 1'000'000ul, 100'000'000ul}) {
      if (all) {
        check({kind, "ends", rounds}, SchedulerKind::kRandom);
      }
    }
  }
}

TEST(Loops, ThoseThatCountForEverAreUnresponsive) {
  std::vector<std::string> some = {"heap", "memory_alone"};
  for (const std::string& kind : all ? kKinds : some) {
    check({kind, "counts"}, SchedulerKind::kPos);
  }
}

// The visible state repeats, but another process may end the loop.
TEST(Loops, ThoseThatWatchWhatOtherProcessesCanWriteAreUnresponsive) {
  for (const char* kind : {"child", "mapped", "segment"}) {
    check({kind, "repeats"}, SchedulerKind::kPos);
  }
}

TEST(Loops, OneWithoutAnEventIsProvedToo) {
  check({"without_memory", "repeats"}, SchedulerKind::kPos);
}

}  // namespace
}  // namespace rff::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: loops_test LOOP [all]\n");
    return 2;
  }
  rff::test::program = argv[1];
  rff::test::all = argc > 2;
  return RUN_ALL_TESTS();
}
