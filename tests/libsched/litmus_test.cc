// litmus_test PROGRAM STATES [all]: the final states that the runtime reaches over many schedules
// must equal those in the file STATES, which a brute-force interpreter of the same litmus
// enumerated (tests/litmus/enumerate). With `all`, those that each scheduler reaches by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "fuzzer/core/fuzz_core.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

std::string program;
std::string states_file;
std::string counts_file;
std::uint64_t seeds = 1;  // of the systematic search

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

struct Explored {
  std::set<std::string> states;
  std::uint64_t classes = 0, reads_from = 0, explored = 0;
  std::string reason;
};

// Runs a schedule of another server.
RunResult run_elsewhere(Schedule s, Server& from, Server& to) {
  s.points.listed = true;
  for (std::uint32_t i = 0; i < s.points.shared_version; ++i) {
    PointName point = PointName::unpack(from.shared().points.items[i]);
    (point.handed_over ? s.points.handed_over : s.points.sites).push_back(point.site);
  }
  for (auto* list : {&s.points.sites, &s.points.handed_over}) {
    std::sort(list->begin(), list->end());
  }
  RunResult r = to.run(s);
  auto& known = from.shared().points;
  for (std::uint64_t point : to.shared().points) {
    if (std::find(known.begin(), known.end(), point) == known.end()) {
      known.append(point);
    }
  }
  return r;
}

// With two instances, one runs what is still to come.
Explored explore(const std::string& search, std::uint64_t seed, const char* carrier,
                 std::size_t instances = 1) {
  ::setenv(kCarrierVariable, carrier, 1);
  Server server({program});
  std::optional<Server> other;
  if (instances > 1) {
    other.emplace(std::vector<std::string>{program});
  }
  ::unsetenv(kCarrierVariable);
  FuzzPlan plan;
  plan.seed = seed;
  plan.search = *parse_search(search).choice;
  FuzzCore core(plan);
  Explored result;
  std::uint32_t known = 0;
  while (!core.finished()) {
    Schedule s = core.next_schedule(server.shared().points.size());
    RunResult r = server.run(s);
    result.states.insert(final_state(r));
    auto& points = server.shared().points;
    core.add_points({points.begin() + known, points.size() - known});
    known = points.size();
    core.report(s, summarize(r.run()));
    if (other) {
      for (const Schedule& ahead : core.foresee(1, points.size())) {
        RunResult early = run_elsewhere(ahead, server, *other);
        if (points.size() == known) {
          core.report(ahead, summarize(early.run()));
        }
      }
    }
  }
  const ExplorationState& state = *core.exploration();
  result.classes = state.classes;
  result.reads_from = state.reads_from_classes;
  result.explored = state.explored;
  result.reason = state.reason;
  return result;
}

// In these, locks or loops that wait hand something over. Threads stop there although nothing can
// come between.
bool has_needless_points() {
  for (const char* name :
       {"barrier_orders", "condition_handshake", "double_checked", "lock_ring", "spin_on_flag",
        "peterson", "test_and_set_lock", "test_and_test_and_set", "await_chain"}) {
    if (program.find(name) != std::string::npos) {
      return true;
    }
  }
  return false;
}

TEST(Litmus, TheSystematicSearchCountsAsBruteForceDoes) {
  std::uint64_t interleavings = 0, traces = 0, reads_from = 0;
  bool loops = !(std::ifstream(counts_file) >> interleavings >> traces >> reads_from);
  for (const char* carrier : {"fiber", "thread"}) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      Explored e = explore("systematic", seed, carrier);
      EXPECT_EQ(e.states, allowed_states()) << carrier << ", seed " << seed;
      // With a loop that does not only wait there are infinitely many, and the search must say that
      // it left some out.
      EXPECT_EQ(e.reason.empty(), !loops) << e.reason;
      if (!loops) {
        EXPECT_EQ(e.classes, traces) << carrier << ", seed " << seed;
        EXPECT_EQ(e.reads_from, reads_from) << carrier << ", seed " << seed;
      }
      Explored together = explore("systematic", seed, carrier, 2);
      EXPECT_EQ(together.classes, e.classes) << carrier << ", seed " << seed;
      EXPECT_EQ(together.reads_from, e.reads_from) << carrier << ", seed " << seed;
      EXPECT_EQ(together.explored, e.explored) << carrier << ", seed " << seed;
    }
  }
  for (const char* carrier : {"fiber", "thread"}) {
    Explored e = explore("systematic:classes=reads-from", 1, carrier);
    EXPECT_EQ(e.states, allowed_states()) << carrier;
    EXPECT_EQ(e.reason.empty(), !loops) << e.reason;
    EXPECT_EQ(e.classes, e.reads_from);
    if (!loops) {
      EXPECT_EQ(e.reads_from, reads_from) << carrier;
    }
  }
  if (!loops && !has_needless_points()) {
    for (const char* pick : {"first", "last", "random"}) {
      Explored e =
          explore(std::string("systematic:classes=interleavings,pick=") + pick, 1, "fiber");
      EXPECT_EQ(e.classes, interleavings) << pick;
      EXPECT_EQ(e.explored, interleavings) << pick;
      EXPECT_EQ(e.reads_from, reads_from) << pick;
    }
  }
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
  bool all = argc == 5 && std::string(argv[4]) == "all";
  if (argc != 4 && !all) {
    std::fprintf(stderr, "usage: litmus_test PROGRAM STATES COUNTS [all]\n");
    return 2;
  }
  rff::test::program = argv[1];
  rff::test::states_file = argv[2];
  rff::test::counts_file = argv[3];
  rff::test::seeds = all ? 10 : 1;
  if (!all) {
    testing::GTEST_FLAG(filter) = "-*EveryScheduler*";
  }
  return RUN_ALL_TESTS();
}
