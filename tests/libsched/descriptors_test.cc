// Tests that programs cannot see the runtime's descriptors, even if they act on all they find.
#include <gtest/gtest.h>

#include "tests/support/runner.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

const char kProgram[] = RFF_PROGRAMS "/uses_descriptors.patched";

class Descriptors : public testing::TestWithParam<const char*> {};

TEST_P(Descriptors, TheRuntimesStayOpen) {
  Server server({kProgram, GetParam()});
  Schedule s = server.schedule(SchedulerKind::kPos, 1);
  RunResult served = server.run(s);
  EXPECT_TRUE(served.ended()) << served.message();
  Runner runner({kProgram, GetParam()});
  RunResult alone = runner.run(s);
  EXPECT_TRUE(alone.ended()) << alone.message();
  EXPECT_EQ(alone.run().trace_hash, served.run().trace_hash);
}

// The same holds while a trace is written.
TEST_P(Descriptors, TheTracesStayOpen) {
  rff::Runner runner({.launcher = launcher(), .tracing = rff::Runner::Tracing::kShared});
  Schedule s;
  s.target.path = kProgram;
  s.target.arguments = {GetParam()};
  rff::Run run = runner.run(s);
  EXPECT_EQ(run.outcome, RunOutcome::kNormal);
  EXPECT_FALSE(run.trace.events.empty());
}

INSTANTIATE_TEST_SUITE_P(Closed, Descriptors,
                         testing::Values("", "closefrom", "close_range", "system-call", "close",
                                         "dup2", "listed"));

}  // namespace
}  // namespace rff::test
