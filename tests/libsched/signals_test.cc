// Tests that a signal that ends the program is a crash reported by name, however it was sent.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/runner.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

const char kProgram[] = RFF_PROGRAMS "/ends_by_signal.patched";
const char* const kCarriers[] = {"fiber", "thread"};

RunResult run(const std::string& way, int number = 0) {
  Runner runner({kProgram, way, std::to_string(number)});
  return runner.run(runner.schedule(SchedulerKind::kPos, 1));
}

void expect_crash(const std::string& way, int number, const std::string& name) {
  for (const char* carrier : kCarriers) {
    SCOPED_TRACE(way + " " + std::to_string(number) + " on the carrier " + carrier);
    setenv(kCarrierVariable, carrier, 1);
    RunResult r = run(way, number);
    EXPECT_TRUE(r.found());
    EXPECT_EQ(r.run().finding, FindingKind::kCrash);
    EXPECT_EQ(r.message(), name);
    EXPECT_TRUE(WIFSIGNALED(r.wait_status));
    EXPECT_EQ(WTERMSIG(r.wait_status), r.run().failure.signal);
  }
  unsetenv(kCarrierVariable);
}

std::string name_of(int signal) { return std::string("SIG") + sigabbrev_np(signal); }

TEST(Signal, ThatEndsTheProgramIsACrashWithItsName) {
  for (int number : {SIGHUP,  SIGINT,  SIGQUIT,   SIGILL,  SIGTRAP, SIGABRT, SIGBUS,  SIGFPE,
                     SIGKILL, SIGUSR1, SIGSEGV,   SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT,
                     SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSYS}) {
    expect_crash("raise", number, name_of(number));
  }
  expect_crash("raise", SIGRTMIN, "SIGRTMIN");
  expect_crash("raise", SIGRTMIN + 7, "SIGRTMIN+7");
}

TEST(Signal, IsACrashByWhicheverCallItIsSent) {
  for (const char* way :
       {"kill", "kill-group", "killpg", "pthread_kill", "tgkill", "sigqueue", "rt_sigqueueinfo",
        "rt_tgsigqueueinfo", "system-call", "unblock", "child"}) {
    expect_crash(way, SIGTERM, "SIGTERM");
  }
  for (const char* way : {"kill", "kill-group", "pthread_kill", "system-call"}) {
    expect_crash(way, SIGSEGV, "SIGSEGV");
    expect_crash(way, SIGKILL, "SIGKILL");
  }
}

TEST(Signal, FromTheKernelIsACrash) {
  expect_crash("int3", 0, "SIGTRAP");
  expect_crash("pipe", 0, "SIGPIPE");
  expect_crash("file-size", 0, "SIGXFSZ");
  expect_crash("timer", 0, "SIGALRM");
}

TEST(Signal, ThatDoesNothingByItselfIsNoCrash) {
  for (int number : {SIGCHLD, SIGCONT, SIGURG, SIGWINCH}) {
    EXPECT_TRUE(run("raise", number).ended()) << number;
  }
}

// No process would continue the program, and the run would wait until its limit.
TEST(Signal, ThatStopsTheProgramLetsItGoOn) {
  for (int number : {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU}) {
    RunResult r = run("raise", number);
    EXPECT_TRUE(r.ended()) << number;
    ASSERT_EQ(r.shared->unmodelled_calls.size(), 1u);
    EXPECT_EQ(r.shared->unmodelled_calls.items[0].view(), "a signal that stops the program");
  }
}

// The fork server takes SIGKILL for a run that was cut off.
TEST(Signal, ThatKillsARunOfTheForkServerIsNoRunThatWasCutOff) {
  Server server({kProgram, "raise", std::to_string(SIGKILL)});
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    RunResult r = server.run(server.schedule(SchedulerKind::kPos, seed));
    EXPECT_TRUE(r.found());
    EXPECT_EQ(r.message(), "SIGKILL");
  }
}

// A signal from outside that ends a run does not make the program faulty.
TEST(Signal, FromAnotherProcessIsNoFinding) {
  Server server({kProgram, "kill-group", "0"});
  RunResult r = server.run(server.schedule(SchedulerKind::kPos, 1));
  ASSERT_TRUE(r.ended());
  kill(server.process(), SIGTERM);
  int status = 0;
  ASSERT_EQ(waitpid(server.process(), &status, 0), server.process());
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  EXPECT_TRUE(r.ended());
}

}  // namespace
}  // namespace rff::test
