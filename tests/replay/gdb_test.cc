// Tests --gdb in batch mode: it stops where the program fails, with all threads named, and the
// program can be run and stepped again under the same schedule.
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/replay/replay_fixture.h"

namespace rff::test {
namespace {

// Returns why gdb cannot be used here; empty if it can.
std::string obstacle() {
  pid_t child = fork();
  if (child == 0) {
    _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return "the kernel or an emulator does not let programs be traced here (ptrace)";
  }
  return run_command({"gdb", "--version"}).exit_status == 0 ? "" : "gdb is not installed";
}

class GdbTest : public ReplayTest {
 protected:
  void SetUp() override {
    if (std::string why = obstacle(); !why.empty()) {
      GTEST_SKIP() << why;
    }
  }
  // Runs gdb on a finding of the program, with these commands after those of rff-replay.
  Output debug(const std::string& program, const std::vector<std::string>& commands) {
    std::vector<std::string> arguments = {"--gdb", "--gdb-arg=-batch"};
    for (const std::string& command : commands) {
      arguments.insert(arguments.end(), {"--gdb-arg=-ex", "--gdb-arg=" + command});
    }
    // Few switches: successive lines belong to the same thread.
    arguments.push_back(finding(program, SchedulerKind::kPct));
    return replay(arguments);
  }
  // Expects all parts, in this order.
  static void expect_in_order(const Output& o, const std::vector<std::string>& parts) {
    std::size_t at = 0;
    for (const std::string& part : parts) {
      std::size_t found = o.out.find(part, at);
      ASSERT_NE(found, std::string::npos) << "no " << part << " after the others in:\n"
                                          << o.out << o.err;
      at = found + part.size();
    }
  }
};

TEST_F(GdbTest, StopsAtTheFailedAssertionInThatThread) {
  Output o = debug("subjects/circular_buffer", {"backtrace"});
  EXPECT_EQ(o.exit_status, 1) << o.err;
  expect_in_order(o, {"fails the assertion", "Thread main.2: failed here.", "in receive",
                      "The failing line is circular_buffer.c:", "\"main.1\"", "\"main.2\"",
                      "rff_finding_reached", "in receive"});
}

TEST_F(GdbTest, ShowsEveryThreadOfADeadlock) {
  Output o = debug("subjects/deadlock01", {"thread apply all backtrace"});
  expect_in_order(o,
                  {"Thread main.1: waits for mutex `b`", "\"main\"", "\"main.1\"", "\"main.2\""});
  for (const char* part : {"in a_then_b", "in b_then_a", "in main"}) {
    EXPECT_NE(o.out.find(part), std::string::npos) << "no " << part << " in:\n" << o.out << o.err;
  }
}

TEST_F(GdbTest, StopsInTheProgramsOwnLineThatCalledTheLibrary) {
  std::string program = path("two_mutexes");
  Output built = run_command(
      {"g++", "-O0", "-g", "-pthread", "-o", program, RFF_NAMES_PROGRAMS "/two_mutexes.cc"});
  ASSERT_EQ(built.exit_status, 0) << built.err;
  Output o = debug(program, {"echo in frame:\\n", "frame"});
  EXPECT_NE(o.out.find("The failing line is two_mutexes.cc:"), std::string::npos) << o.out << o.err;
  EXPECT_NE(o.out.find("break two_mutexes.cc:"), std::string::npos) << o.out;
  std::string frame = o.out.substr(std::min(o.out.find("in frame:"), o.out.size()));
  EXPECT_NE(frame.find("two_mutexes.cc:"), std::string::npos) << o.out << o.err;
}

TEST_F(GdbTest, RunsAgainUnderTheSameScheduleFromLineToLine) {
  Output o = debug("subjects/circular_buffer",
                   {"break circular_buffer.c:23", "run", "next", "delete 2", "continue"});
  expect_in_order(
      o, {"The failing line is", "hit Breakpoint 2", "if (received == sent) continue;",  // line 23
          "assert(slot[received % SIZE] == expected);",                                  // line 24
          "hit Breakpoint 1", "assertion `slot[received % SIZE] == expected' failed"});
}

}  // namespace
}  // namespace rff::test
