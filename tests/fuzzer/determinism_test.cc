// Tests rff-fuzz --check-determinism and --processors on real runs.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/fuzzer/command.h"

namespace rff {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

Outcome check(const std::string& way, std::vector<std::string> more = {}) {
  std::vector<std::string> command = {
      RFF_BIN "/rff-fuzz", "--check-determinism", "-n", "3", "--libs", "none"};
  command.insert(command.end(), more.begin(), more.end());
  command.insert(command.end(), {"--", RFF_SUBJECTS "/unstable", way});
  Outcome o = test::start(command).wait(120);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/tmp", error)) {
    if (entry.path().filename().string().starts_with("rff-unstable-kept-")) {
      fs::remove(entry.path(), error);
    }
  }
  return o;
}

struct Way {
  const char* name;
  const char* variable;
  const char* source;
};

class UnstableRuns : public testing::TestWithParam<Way> {};

TEST_P(UnstableRuns, AreNamedByVariableAndSource) {
  Outcome o = check(GetParam().name);
  EXPECT_EQ(o.status, 3) << o.out << o.err;
  EXPECT_NE(o.out.find("schedule 1 of 3 did not repeat: event "), std::string::npos) << o.out;
  EXPECT_NE(o.out.find(GetParam().variable), std::string::npos) << o.out;
  EXPECT_NE(o.out.find(std::string("likely source: ") + GetParam().source), std::string::npos)
      << o.out;
  EXPECT_NE(o.out.find("unstable.c:"), std::string::npos) << o.out;
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1) << o.out;
}

INSTANTIATE_TEST_SUITE_P(
    Ways, UnstableRuns,
    testing::Values(Way{"inode", "status", "file: the inode number that fstat /tmp/rff-unstable-"},
                    Way{"counter", "line",
                        "file: the thread's last query before it was open "
                        "/proc/vmstat"},
                    Way{"time", "`time_seen`", "time: the real clock, in nanoseconds"},
                    Way{"identity", "`process_seen`", "identity: the number of the process"},
                    Way{"random", "`random_seen`", "random: "}),
    [](const auto& way) { return std::string(way.param.name); });

TEST(StableRuns, AreSaidToBeEqual) {
  Outcome o = check("none");
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_EQ(o.out, "3 schedules, each run twice: no difference\n");
}

TEST(StableRuns, TheCounterOfTheProcessorIsVirtualTimeInLibrariesToo) {
  Outcome o = check("timestamp");
  EXPECT_EQ(o.out, "3 schedules, each run twice: no difference\n") << o.err;
}

// Not every processor lets cpuid fault.
bool cpuid_can_fault() {
  constexpr long kSetProcessorQueries = 0x1012;  // ARCH_CPUID
  bool can = ::syscall(SYS_arch_prctl, kSetProcessorQueries, 0) == 0;
  ::syscall(SYS_arch_prctl, kSetProcessorQueries, 1);
  return can;
}

TEST(Processors, AreWhatTheUserSaysInLibrariesToo) {
  if (!cpuid_can_fault()) {
    GTEST_SKIP() << "cpuid does not fault on this machine";
  }
  fs::path folder = fs::temp_directory_path() / ("rff-cpuid-" + std::to_string(::getpid()));
  Outcome o = test::start({RFF_BIN "/rff-fuzz", "-n", "5", "--exit-is-bug", "--libs", "none",
                           "--processors", "3", "-o", folder.string(), "--",
                           RFF_SUBJECTS "/sees_processors", "3", "cpuid"})
                  .wait(120);
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  fs::remove_all(folder);
}

TEST(Processors, AreWhatTheUserSays) {
  for (const char* number : {"1", "3", "100"}) {
    fs::path folder = fs::temp_directory_path() / ("rff-processors-" + std::to_string(::getpid()));
    Outcome o = test::start({RFF_BIN "/rff-fuzz", "-n", "20", "--seed", "1", "--processors", number,
                             "-o", folder.string(), "--", RFF_SUBJECTS "/sees_processors", number})
                    .wait(120);
    EXPECT_EQ(o.status, 0) << number << ": " << o.out << o.err;
    // The other way round every run fails, and the file of the finding has the number.
    fs::remove_all(folder);
    o = test::start({RFF_BIN "/rff-fuzz", "-n", "2", "--exit-is-bug", "--processors", number, "-o",
                     folder.string(), "--", RFF_SUBJECTS "/sees_processors", "77"})
            .wait(120);
    EXPECT_EQ(o.status, 1) << o.out << o.err;
    for (const auto& finding : fs::directory_iterator(folder / "findings")) {
      Outcome replay =
          test::start({RFF_BIN "/rff-replay", "--quick", finding.path().string()}).wait(120);
      EXPECT_EQ(replay.status, 1) << replay.out << replay.err;
      Outcome shown =
          test::start({RFF_BIN "/rff-replay", "--show", finding.path().string()}).wait(120);
      EXPECT_NE(shown.out.find("processors:  " + std::string(number)), std::string::npos)
          << shown.out;
    }
    fs::remove_all(folder);
  }
}

}  // namespace
}  // namespace rff
