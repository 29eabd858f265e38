// litmus_test PROGRAM STATES: the final states that the runtime reaches over many schedules must
// equal those in the file STATES, which a brute-force interpreter of the same litmus enumerated
// (tests/litmus/enumerate).
#include <gtest/gtest.h>

#include <fstream>
#include <set>

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

}  // namespace
}  // namespace rff::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 3) {
    std::fprintf(stderr, "usage: litmus_test PROGRAM STATES\n");
    return 2;
  }
  rff::test::program = argv[1];
  rff::test::states_file = argv[2];
  return RUN_ALL_TESTS();
}
