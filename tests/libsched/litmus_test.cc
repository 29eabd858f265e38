// litmus_test PROGRAM STATES [all]: the final states that the runtime reaches over many schedules
// must equal those in the file STATES, which a brute-force interpreter of the same litmus
// enumerated (tests/litmus/enumerate). With `all`, those that each scheduler reaches by itself.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "fuzzer/core/fuzz_core.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

std::string program;
std::string states_file;

// Enough schedules to see a forbidden state; if allowed states are missing, more follow.
constexpr std::uint64_t kLeast = 40;
constexpr std::uint64_t kMost = 6000;

std::set<std::string> allowed_states() {
  std::set<std::string> states;
  std::ifstream in(states_file);
  for (std::string line; std::getline(in, line);) {
    states.insert(line);
  }
  return states;
}

std::string final_state(const RunResult& r) {
  if (r.found()) {
    return r.run().finding == FindingKind::kDeadlock ? "deadlock" : r.message();
  }
  std::string state = r.output;
  while (!state.empty() && state.back() == '\n') {
    state.pop_back();
  }
  return r.ended() ? state : "?";
}

// Returns the states reached with scheduling points that are learned on the way, or with every
// access a scheduling point from the start. None may be outside `allowed`.
std::set<std::string> reached_states(const std::set<std::string>& allowed, bool every_access,
                                     std::uint64_t most) {
  std::set<std::string> reached;
  Server server({program});
  for (std::uint64_t i = 0; i < most && (i < kLeast || reached.size() < allowed.size()); ++i) {
    SchedulerKind kind = i % 2 == 0 ? SchedulerKind::kPos : SchedulerKind::kRandom;
    Schedule s = server.schedule(kind, 1 + i);
    s.points.every_access = every_access;
    RunResult r = server.run(s);
    std::string state = final_state(r);
    EXPECT_TRUE(allowed.contains(state))
        << state << " with " << scheduler_name(kind) << ", seed " << 1 + i;
    reached.insert(state);
    server.learn();
  }
  return reached;
}

TEST(Litmus, StatesReachedWithLearnedPointsAreThoseOfSequentialConsistency) {
  std::set<std::string> allowed = allowed_states();
  ASSERT_FALSE(allowed.empty());
  EXPECT_EQ(reached_states(allowed, false, kMost), allowed);
}

// The test above shows that learned points reach everything; more points must reach nothing else.
TEST(Litmus, StatesReachedWithEveryAccessAPointAreAmongThem) {
  constexpr std::uint64_t kEnough = 400;
  std::set<std::string> allowed = allowed_states();
  EXPECT_FALSE(reached_states(allowed, true, kEnough).empty());
}

// Every search is complete in the limit; `delay` within its bound, which is enough here. `period`
// goes on with random walks after its last schedule.
TEST(Litmus, EverySchedulerReachesAllOfThemAndNoOther) {
  constexpr std::uint64_t kEnough = 40'000;
  std::set<std::string> allowed = allowed_states();
  for (const char* name : {"rff", "pos", "bpos", "pct:depth=6", "random", "urw", "surw", "ql",
                           "ql-rf", "delay:bound=12", "period:depth=4"}) {
    Server server({program});
    FuzzPlan plan;
    plan.seed = 1;
    plan.search = *parse_search(name).choice;
    FuzzCore core(plan);
    std::set<std::string> reached;
    std::uint32_t known = 0;
    for (std::uint64_t i = 0; i < kEnough && (i < kLeast || reached.size() < allowed.size()); ++i) {
      Schedule s = core.next_schedule(server.shared().points.size());
      RunResult r = server.run(s);
      reached.insert(final_state(r));
      auto& points = server.shared().points;
      core.add_points({points.begin() + known, points.size() - known});
      known = points.size();
      core.report(s, summarize(r.run()));
    }
    EXPECT_EQ(reached, allowed) << name;
  }
}

}  // namespace
}  // namespace rff::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 3 && !(argc == 4 && std::string(argv[3]) == "all")) {
    std::fprintf(stderr, "usage: litmus_test PROGRAM STATES [all]\n");
    return 2;
  }
  rff::test::program = argv[1];
  rff::test::states_file = argv[2];
  if (argc == 3) {
    testing::GTEST_FLAG(filter) = "-*EveryScheduler*";
  }
  return RUN_ALL_TESTS();
}
