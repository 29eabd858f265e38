// Tests --minimize: fewer constraints, fewer switches, the same failure, within the given runs.
#include <nlohmann/json.hpp>
#include <set>

#include "fuzzer/common/files.h"
#include "fuzzer/debug/finding_identity.h"
#include "tests/fuzzer/command.h"
#include "tests/replay/make_finding.h"
#include "tests/replay/replay_fixture.h"
#include "tests/support/runner.h"

namespace rff::test {
namespace {

class MinimizeTest : public ReplayTest {
 protected:
  // Returns a failing schedule of the reads-from scheduler with every pair of a failing run as a
  // constraint: many more than the failure needs.
  std::string overloaded(const std::string& program) {
    Schedule s = *decode_schedule(*read_file(finding(program))).schedule;
    Runner runner({s.target.path});
    {
      RunResult r = runner.run(s);
      for (const ReadsFromPair& pair : r.run().pairs) {
        const AbstractEvent* events = r.run().event_list.begin();
        s.constraints.insert({events[pair.write], events[pair.read], true});
      }
    }
    s.scheduler = SchedulerKind::kRff;
    Finding wanted = *s.finding;
    s.finding.reset();
    for (s.seed = 1; s.seed <= 50; ++s.seed) {
      RunResult r = runner.run(s);
      if (r.found() && r.run().place == wanted.place) {
        s = runner.replay(s, r);
        break;
      }
    }
    EXPECT_TRUE(s.finding) << "the constraints do not lead to the failure";
    write("overloaded.bin", encode_schedule(s));
    return path("overloaded.bin");
  }
  Schedule load(const std::string& name) {
    DecodeResult decoded = decode_schedule(read_file(path(name)).value_or(""));
    EXPECT_TRUE(decoded.schedule) << decoded.error;
    return decoded.schedule.value_or(Schedule{});
  }
};

TEST_F(MinimizeTest, KeepsTheFailureAndSavesSwitches) {
  std::string schedule = finding("subjects/work_steal_queue");
  Output o = replay({"--minimize", "-o", path("small.bin"), "--max-runs", "60", schedule});
  ASSERT_EQ(o.exit_status, 1) << o.out << o.err;
  EXPECT_NE(o.err.find("minimizing: "), std::string::npos) << o.err;
  Output again = replay({"--json", "--quick", path("small.bin")});
  auto small = nlohmann::json::parse(again.out);
  auto large = nlohmann::json::parse(replay({"--json", "--quick", schedule}).out);
  EXPECT_EQ(small["verdict"], "reproduced");
  EXPECT_EQ(small["identical"], true);
  EXPECT_EQ(small["finding"]["summary"], large["finding"]["summary"]);
  EXPECT_LT(small["run"]["switches"], large["run"]["switches"]);
}

TEST_F(MinimizeTest, DropsConstraintsThatTheFailureDoesNotNeed) {
  std::string schedule = overloaded("subjects/circular_buffer");
  std::size_t before = load("overloaded.bin").constraints.size();
  ASSERT_GT(before, 4u);
  Output o = replay({"--minimize", "-o", path("small.bin"), "--max-runs", "120", schedule});
  ASSERT_EQ(o.exit_status, 1) << o.out << o.err;
  Schedule small = load("small.bin");
  EXPECT_LE(small.constraints.size(), 2u) << o.out;
  EXPECT_EQ(replay({"--runs", "2", path("small.bin")}).out,
            "2 of 2 reproduced (2 the same run event by event)\n");
  // The remaining constraints lead to the failure by themselves, without the recorded decisions.
  Finding wanted = *small.finding;
  small.finding.reset();
  RunResult r = Runner({small.target.path}).run(small);
  EXPECT_TRUE(r.found() && r.run().place == wanted.place);
}

// A simpler order leads to the other bug, which fails at the same instruction.
TEST_F(MinimizeTest, StaysWithItsBugWhereAnotherEndsInTheSameHelper) {
  std::string built = path("two_bugs");
  Output compiled = run_command({RFF_CC, "-g", "-O0", "-pthread", "-o", built,
                                 RFF_IDENTITY_PROGRAMS "/two_bugs_one_helper.c"});
  ASSERT_EQ(compiled.exit_status, 0) << compiled.err;
  std::string program = patched(built);
  DebugInfo debug;
  debug.add_module(module_hash(program), program);
  std::set<FindingIdentity> found;
  std::set<std::uint64_t> innermost;
  std::vector<Schedule> schedules;
  for (int seed = 1; seed <= 100 && found.size() < 2; ++seed) {
    auto s = make_finding({program}, SchedulerKind::kPos, 30, seed);
    if (s && found.insert(identify(*s->finding, debug)).second) {
      innermost.insert(s->finding->place.packed());
      schedules.push_back(*s);
    }
  }
  ASSERT_EQ(found.size(), 2u);
  ASSERT_EQ(innermost.size(), 1u) << "one helper, one place";
  for (const Schedule& s : schedules) {
    FindingIdentity wanted = identify(*s.finding, debug);
    write("one.bin", encode_schedule(s));
    Output o = replay({"--minimize", "-o", path("small.bin"), path("one.bin")});
    ASSERT_EQ(o.exit_status, 1) << o.out << o.err;
    EXPECT_EQ(identify(*load("small.bin").finding, debug).text(), wanted.text());
  }
}

TEST_F(MinimizeTest, StaysWithinItsRunsAndSaysSo) {
  std::string schedule = finding("subjects/work_steal_queue");
  Output o = replay({"--minimize", "-o", path("small.bin"), "--max-runs", "3", schedule});
  ASSERT_EQ(o.exit_status, 1) << o.out << o.err;
  // The last run is the replay that every result must pass.
  EXPECT_NE(o.out.find(" in 4 runs (cut short"), std::string::npos) << o.out;
}

TEST_F(MinimizeTest, AnInterruptLeavesTheBestSoFar) {
  std::string schedule = finding("subjects/work_steal_queue");
  Running r = start({tool("rff-replay"), "--minimize", "-o", path("small.bin"), "--max-runs",
                     "1000000", schedule});
  std::string said;
  char c;
  while (said.find('\n') == std::string::npos && ::read(r.err, &c, 1) == 1) {
    said += c;
  }
  ::kill(r.pid, SIGINT);
  Outcome o = r.wait();
  EXPECT_EQ(o.status, 1) << said << o.err;
  EXPECT_NE(o.out.find("(cut short"), std::string::npos) << o.out;
  EXPECT_EQ(replay({"--quick", path("small.bin")}).exit_status, 1);
}

TEST_F(MinimizeTest, TheOriginalStaysAsItIs) {
  std::string schedule = finding("subjects/deadlock01");
  std::string bytes = *read_file(schedule);
  replay({"--minimize", "-o", path("small.bin"), "--max-runs", "5", schedule});
  EXPECT_EQ(read_file(schedule), bytes);
  Output o = replay({"--minimize", "-o", "/nowhere/small.bin", schedule});
  EXPECT_EQ(o.exit_status, 2);
}

}  // namespace
}  // namespace rff::test
