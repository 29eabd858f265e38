// Tests rff-fuzz and rff-replay on programs that are hard to start: they run like any other, or are
// refused in one line that says why.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "tests/fuzzer/command.h"

namespace rff {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

class StartTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v afl-fuzz >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "afl-fuzz is not on PATH";
    char name[] = "/tmp/rff-start-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override {
    expect_nothing_left();
    fs::remove_all(folder_);
  }

  // Checks that no process is left: each process of a campaign has the folder in its command line.
  void expect_nothing_left() const {
    std::error_code error;
    for (const auto& process : fs::directory_iterator("/proc", error)) {
      std::string command = read_file(process.path() / "cmdline").value_or("");
      EXPECT_EQ(command.find(folder_), std::string::npos) << process.path() << ": " << command;
    }
  }

  // Runs a campaign on hard_to_start WAY, started by the shell with `before` in front of it.
  Outcome fuzz(const std::string& way, const std::string& options = "-n 30",
               const std::string& before = "exec") {
    std::string line = before + " " RFF_BIN "/rff-fuzz --seed 1 -o '" + folder_ + "/out' " +
                       options + " " RFF_SUBJECTS "/hard_to_start '" + way + "'";
    return test::start({"/bin/bash", "-c", line}, "/dev/null", folder_).wait(120);
  }
  void expect_runs(const Outcome& o) {
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    nlohmann::json stats = nlohmann::json::parse(
        read_file(folder_ + "/out/stats.json").value_or("{}"), nullptr, false);
    EXPECT_EQ(stats["schedules"], 30) << o.out << o.err;
    EXPECT_GT(stats["rf_combinations"], 1);
    EXPECT_EQ(stats["unstable"], 0);
    EXPECT_EQ(stats["lost"], 0);
  }
  static void expect_refused(const Outcome& o, const std::string& why) {
    EXPECT_EQ(o.status, 3) << o.out << o.err;
    EXPECT_NE(o.err.find(why), std::string::npos) << o.out << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }

  std::string folder_;
};

TEST_F(StartTest, RunsAProgramThatMayOpenFewFiles) {
  expect_runs(fuzz("few files", "-n 30", "ulimit -S -n 64; exec"));
}

TEST_F(StartTest, RefusesADaemonByName) {
  for (const char* way : {"daemon", "daemon with a file", "detaches", "detaches twice"}) {
    expect_refused(fuzz(way, "--force"),
                   "the program cannot be run: it puts itself into the background (daemon); start "
                   "it in the foreground, e.g. with its option for that");
  }
}

TEST_F(StartTest, FollowsAProgramThatExecutesItself) {
  for (const char* way : {"executes itself", "executes its name"}) {
    expect_runs(fuzz(way, "--force -n 30"));
  }
}

TEST_F(StartTest, RefusesAProgramThatExecutesAnotherByName) {
  Outcome o = fuzz("executes another");
  expect_refused(o, "it executes another program before its first thread; fuzz that one: ");
  EXPECT_NE(o.err.find("/true\n"), std::string::npos) << o.err;
}

TEST_F(StartTest, NamesAProgramThatExecutesAnotherAtItsEnd) {
  Outcome o = fuzz("executes another at the end", "-n 30 --exit-is-bug");
  expect_runs(o);
  EXPECT_NE(o.out.find("exec: a run ends where the program executes another"), std::string::npos)
      << o.out;
}

TEST_F(StartTest, ThatHangsIsEndedAtTheTimeLimit) {
  for (const char* way : {"loops", "waits"}) {
    expect_refused(fuzz(way, "--force --no-plain-run --schedule-timeout 300"),
                   "hard_to_start has not made a thread after 300 ms: it waits or loops before its "
                   "first one (--schedule-timeout gives it more time)");
  }
  expect_runs(fuzz("", "--force -n 30"));
  std::string schedule = fs::directory_iterator(folder_ + "/out/corpus")->path();
  Outcome o = test::start({RFF_BIN "/rff-replay", "--quick", "--timeout", "0.3", schedule, "--",
                           folder_ + "/out/patched/hard_to_start.patched", "loops"})
                  .wait();
  expect_refused(o,
                 "hard_to_start.patched has not made a thread after 0.3 s: it waits or loops "
                 "before its first one");
}

TEST_F(StartTest, EndsAChildThatAProgramLeavesBehind) {
  expect_runs(fuzz("leaves a child"));
  expect_nothing_left();
  std::string schedule = fs::directory_iterator(folder_ + "/out/corpus")->path();
  std::string patched = folder_ + "/out/patched/hard_to_start.patched";
  Outcome o =
      test::start({RFF_BIN "/rff-replay", "--quick", schedule, "--", patched, "leaves a child"})
          .wait();
  EXPECT_EQ(o.status, 0) << o.out << o.err;
}

// Without standard descriptors, files that the programs open would get the numbers of their output.
TEST_F(StartTest, WithoutStandardDescriptorsWritesToNoOtherFile) {
  Outcome o = fuzz("", "-n 30", "exec <&- >&- 2>&-; exec");
  expect_runs(o);
  std::string closed = " <&- >&- 2>&-";
  std::string patched = folder_ + "/out/patched/hard_to_start.patched";
  std::string again = folder_ + "/again";
  std::string schedule = fs::directory_iterator(folder_ + "/out/corpus")->path();
  EXPECT_EQ(std::system(
                (RFF_BIN "/rff-instrument -o " + again + " " RFF_SUBJECTS "/hard_to_start" + closed)
                    .c_str()),
            0);
  EXPECT_EQ(read_file(again), read_file(patched));
  EXPECT_EQ(
      std::system((RFF_BIN "/rff-replay --quick " + schedule + " -- " + patched + closed).c_str()),
      0);
}

TEST_F(StartTest, AProgramThatClosesStandardDescriptorsKeepsItsFiles) {
  std::string file = folder_ + "/file";
  expect_refused(fuzz("closes standard descriptors' '" + file, "--no-plain-run"),
                 "it executes another program before its first thread");
  // Only the runs have written there, no tool and no runtime.
  std::string content = read_file(file).value_or("");
  std::string expected;
  while (expected.empty() || expected.size() < content.size()) {
    expected += "data";
  }
  EXPECT_EQ(content, expected);
}

}  // namespace
}  // namespace rff
