// Tests what can be seen of a run from outside, after its end or in parallel.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/runner.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

TEST(Status, IsTheOneThatTheCLibraryWasTold) {
  for (const char* carrier : {"fiber", "thread"}) {
    setenv(kCarrierVariable, carrier, 1);
    Server server({std::string(RFF_PROGRAMS) + "/fails_in_library.patched"});
    Schedule s = server.schedule(SchedulerKind::kPos, 1);
    RunResult r = server.run(s);
    EXPECT_TRUE(r.ended()) << r.message();
    EXPECT_TRUE(WIFEXITED(r.wait_status) && WEXITSTATUS(r.wait_status) == 3) << r.wait_status;
    s.exit_is_finding = true;
    RunResult found = server.run(s);
    EXPECT_TRUE(found.found() && found.run().finding == FindingKind::kExit) << found.message();
  }
  unsetenv(kCarrierVariable);
}

TEST(Streams, AreWrittenAtTheEnd) {
  Folder folder;
  std::string name = folder / "file";
  std::vector<std::string> command = {std::string(RFF_PROGRAMS) + "/leaves_unwritten.patched",
                                      name};
  for (int kind = 0; kind < 2; ++kind) {
    Server server(command);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      RunResult r = server.run(server.schedule(SchedulerKind::kPos, seed));
      EXPECT_TRUE(r.ended()) << r.message();
    }
    command.push_back("widely");
  }
  std::ifstream file(name);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "nnnwww");
}

// On fibers: with kernel threads each thread takes signals by itself.
TEST(Children, MayInterruptEveryAccess) {
  setenv(kCarrierVariable, "fiber", 1);
  Server server({std::string(RFF_PROGRAMS) + "/child_interrupts_accesses.patched"});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    RunResult r = server.run(server.schedule(SchedulerKind::kPos, seed));
    EXPECT_TRUE(r.ended()) << r.message();
  }
  unsetenv(kCarrierVariable);
}

TEST(Children, InASessionOfTheirOwnAreEndedWithTheRun) {
  for (const char* carrier : {"fiber", "thread"}) {
    setenv(kCarrierVariable, carrier, 1);
    Folder folder;
    std::string name = folder / "children";
    Server server({std::string(RFF_PROGRAMS) + "/child_outlives.patched", name});
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      RunResult r = server.run(server.schedule(SchedulerKind::kPos, seed));
      EXPECT_TRUE(r.ended()) << carrier << ": " << r.message();
      std::ifstream file(name);
      pid_t child = 0, below = 0;
      ASSERT_TRUE(file >> child >> below) << carrier;
      for (pid_t process : {child, below}) {
        EXPECT_TRUE(kill(process, 0) == -1 && errno == ESRCH) << carrier << ": " << process;
      }
    }
  }
  unsetenv(kCarrierVariable);
}

TEST(Namespaces, AreNamed) {
  Server server({std::string(RFF_PROGRAMS) + "/program_fail_threads_seen_in_namespace.patched"});
  server.run(server.schedule(SchedulerKind::kPos, 1));
  std::vector<std::string> named;
  for (const auto& call : server.shared().unmodelled_calls) {
    named.emplace_back(call.view());
  }
  EXPECT_EQ(named, (std::vector<std::string>{"dlmopen into another namespace"}));
}

// The data of patched code lies behind the program's memory, but out of reach of an access just
// past its end.
TEST(Crash, BehindTheProgramsMemoryIsOneOfTheProgram) {
  Server server({std::string(RFF_PROGRAMS) + "/runs_over_end.patched"});
  RunResult r = server.run(server.schedule(SchedulerKind::kPos, 1));
  EXPECT_TRUE(r.found() && r.message().starts_with("SIGSEGV, address 0x")) << r.message();
}

}  // namespace
}  // namespace rff::test
