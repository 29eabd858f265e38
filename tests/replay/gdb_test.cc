// --gdb, in batch mode: stops where the program fails, with all threads named.
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/replay/replay_fixture.h"

namespace rff::test {
namespace {

bool can_debug() {
  pid_t child = fork();
  if (child == 0) {
    _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
         run_command({"gdb", "--version"}).exit_status == 0;
}

class GdbTest : public ReplayTest {
 protected:
  void SetUp() override {
    if (!can_debug()) {
      GTEST_SKIP() << "no gdb, or no ptrace here (an emulator?)";
    }
  }
};

TEST_F(GdbTest, StopsAtTheFailedAssertionInThatThread) {
  Output o = replay({"--gdb", "--gdb-arg=-batch", finding("subjects/circular_buffer")});
  EXPECT_EQ(o.exit_status, 1) << o.err;
  for (const char* part : {"fails the assertion",
                           "The failing line is circular_buffer.c:", "assert(slot[received % SIZE]",
                           "\"main.1\"", "\"main.2\"", "in receive"}) {
    EXPECT_NE(o.out.find(part), std::string::npos) << "no " << part << " in:\n" << o.out << o.err;
  }
}

TEST_F(GdbTest, ShowsEveryThreadOfADeadlock) {
  Output o = replay({"--gdb", "--gdb-arg=-batch", "--gdb-arg=-ex",
                     "--gdb-arg=thread apply all backtrace", finding("subjects/deadlock01")});
  for (const char* part : {"a_then_b", "b_then_a", "\"main.1\"", "\"main.2\"", "pthread_join"}) {
    EXPECT_NE(o.out.find(part), std::string::npos) << "no " << part << " in:\n" << o.out << o.err;
  }
}

}  // namespace
}  // namespace rff::test
