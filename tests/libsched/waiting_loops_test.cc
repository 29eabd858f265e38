// Threads that wait in loops of their own: the systematic search must end, be complete, and find
// what is broken. `BROKEN` copies of the programs have one wrong line.
#include <gtest/gtest.h>

#include <set>

#include "fuzzer/core/fuzz_core.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

struct Explored {
  ExplorationState state;
  std::set<FindingKind> found;
};

Explored explore(const std::string& search, const std::string& program,
                 const std::string& argument = "", bool until_found = false,
                 std::uint64_t most = ~std::uint64_t{0}) {
  std::vector<std::string> command = {std::string(RFF_PROGRAMS) + "/" + program + ".patched"};
  if (!argument.empty()) {
    command.push_back(argument);
  }
  Server server(command);
  FuzzPlan plan;
  plan.search = *parse_search(search).choice;
  FuzzCore core(plan);
  Explored result;
  std::uint32_t known = 0;
  while (!core.finished() && !(until_found && !result.found.empty()) && most-- > 0) {
    Schedule s = core.next_schedule(server.shared().points.size());
    RunResult r = server.run(s);
    if (r.found()) {
      result.found.insert(r.run().finding);
    }
    auto& points = server.shared().points;
    core.add_points({points.begin() + known, points.size() - known});
    known = points.size();
    core.report(s, summarize(r.run()));
  }
  result.state = *core.exploration();
  return result;
}

class Waiting : public testing::TestWithParam<const char*> {};

TEST_P(Waiting, CorrectProgramsAreCompleteAndNothingFails) {
  for (const char* search : {"systematic", "systematic:classes=reads-from"}) {
    Explored e = explore(search, std::string("waiting_") + GetParam());
    EXPECT_EQ(e.state.reason, "") << search;
    EXPECT_EQ(e.state.failing, 0u) << search;
    EXPECT_GT(e.state.classes, 1u) << search;
  }
}

TEST_P(Waiting, OneWrongLineIsFound) {
  Explored e = explore("systematic", std::string("broken_") + GetParam(), "", true);
  EXPECT_FALSE(e.found.empty());
}

INSTANTIATE_TEST_SUITE_P(All, Waiting,
                         testing::Values("seqlock", "peterson", "ticket_lock", "spsc_ring",
                                         "tagged_stack"));

class CountedPasses : public testing::TestWithParam<const char*> {};

// If such a loop were taken for a wait, both threads would wait for ever.
TEST_P(CountedPasses, ALoopThatGivesUpDoesNotWait) {
  for (const char* search : {"systematic", "systematic:classes=interleavings"}) {
    Explored e = explore(search, "waiting_counts_passes", GetParam());
    EXPECT_EQ(e.state.failing, 0u) << search;
    EXPECT_TRUE(e.found.empty()) << search;
    EXPECT_EQ(e.state.reason, "") << search;
  }
}

INSTANTIATE_TEST_SUITE_P(All, CountedPasses, testing::Values("register", "stack", "variable"));

// The state of rand is not seen.
TEST(WaitingLoops, LoopsOfAProgramThatDrawsNumbersAreLeft) {
  Explored e = explore("systematic", "waiting_draws_numbers", "", false, 300);
  EXPECT_TRUE(e.found.empty());
  EXPECT_NE(e.state.reason, "");
}

// The runtime does not see the reads of strpbrk.
TEST(WaitingLoops, LoopsOfAProgramThatLetsOthersReadAreLeft) {
  Explored e = explore("systematic", "waiting_library_reads", "", false, 300);
  EXPECT_TRUE(e.found.empty());
  EXPECT_NE(e.state.reason, "");
}

TEST(WaitingLoops, LoopsThatWaitForEachOtherAreAHang) {
  Explored e = explore("systematic", "waiting_each_other");
  EXPECT_EQ(e.state.reason, "");
  EXPECT_EQ(e.found, std::set{FindingKind::kHang});
  EXPECT_EQ(e.state.failing, 1u);
}

}  // namespace
}  // namespace rff::test
