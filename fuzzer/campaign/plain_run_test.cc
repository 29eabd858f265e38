#include "fuzzer/campaign/plain_run.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>

#include "fuzzer/common/files.h"
#include "fuzzer/run/child_process.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

constexpr double kLong = 60;

PlainRun run_script(const std::string& script, double seconds = kLong,
                    const std::string& standard_input = "") {
  Target target;
  target.arguments = {"-c", script};
  target.standard_input = standard_input;
  return run_plainly("/bin/sh", target, "", seconds);
}

TEST(PlainRun, TellsHowTheProgramEndedAsAShellDoes) {
  EXPECT_EQ(run_script("exit 0").status(), 0);
  PlainRun failed = run_script("exit 3");
  EXPECT_EQ(failed.status(), 3);
  EXPECT_EQ(failed.how_it_ended(), "exit status 3");
  PlainRun crashed = run_script("kill -SEGV $$");
  EXPECT_EQ(crashed.status(), 128 + SIGSEGV);
  EXPECT_EQ(crashed.how_it_ended(), "signal 11 (Segmentation fault)");
  EXPECT_GT(crashed.seconds, 0);
  EXPECT_FALSE(PlainRun{}.status());
}

TEST(PlainRun, KeepsTheEndOfWhatItPrintsOnBothStreams) {
  EXPECT_EQ(run_script("echo one; echo two >&2").output_tail, "one\ntwo\n");
  std::string tail = run_script("head -c 200000 /dev/zero; echo last").output_tail;
  EXPECT_EQ(tail.size(), PlainRun::kOutputKept);
  EXPECT_TRUE(tail.ends_with("last\n"));
}

TEST(PlainRun, HasTheStandardInputOfTheRunsAndNoTerminal) {
  std::string input = testing::TempDir() + "plain-run-input-" + std::to_string(::getpid());
  ASSERT_EQ(write_file(input, "given"), 0);
  EXPECT_EQ(run_script("cat", kLong, input).output_tail, "given");
  EXPECT_EQ(run_script("cat").output_tail, "");
  EXPECT_EQ(run_script("{ true >/dev/tty; } 2>/dev/null || echo none").output_tail, "none\n");
  fs::remove(input);
}

bool alive(pid_t process) { return ::kill(process, 0) == 0; }

// No process that the program started outlives the plain run, in time or not, even in another
// session.
TEST(PlainRun, LeavesNoProcessBehind) {
  ChildProcess::Command command;
  command.arguments = {"/bin/sleep", "1000"};
  ChildProcess ours(command);
  PlainRun server = run_script("setsid sleep 1000 & echo $!; sleep 1000", 0.2);
  EXPECT_TRUE(server.ran && server.cut_off);
  EXPECT_FALSE(server.status());
  EXPECT_TRUE(server.how_it_ended().starts_with("no end after 0.2"));
  EXPECT_FALSE(alive(std::atoi(server.output_tail.c_str())));

  PlainRun daemon = run_script("setsid sleep 1000 & echo $!");
  EXPECT_EQ(daemon.status(), 0);
  ASSERT_GT(std::atoi(daemon.output_tail.c_str()), 0);
  EXPECT_FALSE(alive(std::atoi(daemon.output_tail.c_str())));
  EXPECT_FALSE(ours.ended());
}

TEST(PlainRun, IsOfTheOriginalBesideThePatchedProgramIfThatIsTheSameBuild) {
  fs::path folder = testing::TempDir() + "plain-run-" + std::to_string(::getpid());
  fs::create_directories(folder);
  fs::copy("/bin/true", folder / "prog");
  TargetFile original = TargetFile::open(folder / "prog");
  ASSERT_FALSE(original.build_id.empty());
  std::string patched = folder / "prog.patched";
  EXPECT_EQ(plain_program({patched, true, original.build_id}), original.path);
  EXPECT_EQ(plain_program({patched, true, "0123"}), patched);
  EXPECT_EQ(plain_program({patched, true, ""}), patched);
  EXPECT_EQ(plain_program({original.path, false, original.build_id}), original.path);
  fs::remove_all(folder);
  EXPECT_EQ(plain_program({patched, true, original.build_id}), patched);
}

TEST(PlainRun, SaysWhyAProgramDoesNotStart) {
  PlainRun run = run_plainly("/nonexistent/program", {}, "", kLong);
  EXPECT_FALSE(run.ran);
  EXPECT_EQ(run.error, ENOENT);
}

}  // namespace
}  // namespace rff
