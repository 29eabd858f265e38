// Tests that reports call data and places by the names in the program's source, whichever compiler
// built it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "tests/fuzzer/command.h"
#include "tests/replay/replay_fixture.h"

namespace rff::test {
namespace {

struct NamedBuild {
  const char* name;
  std::vector<std::string> command;
  bool sanitized = false;

  friend void PrintTo(const NamedBuild& build, std::ostream* out) { *out << build.name; }
};

class NamesTest : public ReplayTest, public testing::WithParamInterface<NamedBuild> {
 protected:
  void SetUp() override {
    if (run_command({GetParam().command[0], "--version"}).exit_status != 0) {
      GTEST_SKIP() << GetParam().command[0] << " is not installed";
    }
  }
  std::string build(const std::string& name) {
    std::vector<std::string> command = GetParam().command;
    std::string out = path(name);
    command.insert(command.end(), {"-g", "-pthread", "-o", out,
                                   std::string(RFF_NAMES_PROGRAMS) + "/" + name + ".cc"});
    Output o = run_command(command);
    EXPECT_EQ(o.exit_status, 0) << o.err;
    return out;
  }
};

TEST_P(NamesTest, SharedDataHasTheNamesOfTheSource) {
  std::string text = replay({"--quick", "--trace", finding(build("shared_data"))}).out;
  auto said = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  std::vector<std::string> wanted = {"`Node.count[1]` of the heap block from main (shared_data.cc:",
                                     "`Node.value` of the heap block from main (shared_data.cc:",
                                     "`Worker.jobs` of the heap block from main (shared_data.cc:",
                                     "`Node.count[2]` of the heap block from main (shared_data.cc:",
                                     "`int[3]` of the heap block from ",
                                     "`Shape.area` of the heap block from ",
                                     "`counters[2]` = 1",
                                     "reads `queue.head` = 0x",
                                     " (the heap block from shared_data.cc:"};
  if (!GetParam().sanitized) {
    wanted.push_back("`main::log.quit_` = 1");  // a sanitizer stores it elsewhere
  }
  for (const std::string& part : wanted) {
    EXPECT_TRUE(said(part)) << "no " << part << " in\n" << text;
  }
  // No name is guessed beyond the pointer's type, and none is the linker's.
  EXPECT_TRUE(said("offset 24 of the heap block from ")) << text;
  for (const char* part : {"`Shape[", "`Circle", "`_Z", "`queue+"}) {
    EXPECT_FALSE(said(part)) << part << " in\n" << text;
  }
}

TEST_P(NamesTest, AnAddressIsToldWithWhatItPointsTo) {
  std::string text = replay({"--quick", "--trace", "--json", finding(build("shared_data"))}).out;
  auto report = nlohmann::json::parse(text, nullptr, false);
  ASSERT_TRUE(report.contains("trace")) << text;
  int addresses = 0;
  for (const auto& e : report["trace"]) {
    std::string pointee = e.value("points_to", "");
    if (e.value("location", "") == "`queue.head`") {
      ++addresses;
      EXPECT_TRUE(pointee.starts_with("the heap block from shared_data.cc:")) << e;
    } else if (e.value("location", "") == "`counters[2]`") {
      EXPECT_EQ(pointee, "") << e;
    }
  }
  EXPECT_GT(addresses, 0) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Builds, NamesTest,
    testing::Values(NamedBuild{"gcc_O0", {"g++", "-O0"}}, NamedBuild{"gcc_O2", {"g++", "-O2"}},
                    NamedBuild{"clang_O0", {"clang++", "-O0"}},
                    NamedBuild{"clang_O2", {"clang++", "-O2"}},
                    NamedBuild{"clang_asan", {"clang++", "-O1", "-fsanitize=address"}, true}),
    [](const auto& build) { return std::string(build.param.name); });

// The place in the library that takes the lock has no line of the program: its caller has one.
TEST_F(ReplayTest, ACampaignNamesTheProgramsOwnLineWhereALockWasTaken) {
  if (run_command({"afl-fuzz", "-V"}).exit_status == 127) {
    GTEST_SKIP() << "afl-fuzz is not on PATH";
  }
  std::string program = path("two_mutexes");
  Output built = run_command({"g++", "-O0", "-g", "-pthread", "-o", program,
                              std::string(RFF_NAMES_PROGRAMS) + "/two_mutexes.cc"});
  ASSERT_EQ(built.exit_status, 0) << built.err;
  Output o = run_command(
      {tool("rff-fuzz"), "-n", "500", "--until-bug", "--seed", "1", "-o", path("out"), program});
  ASSERT_EQ(o.exit_status, 1) << o.out << o.err;
  auto stats = nlohmann::json::parse(read_file(path("out/stats.json")).value_or("{}"));
  std::string summary = stats["findings"][0]["summary"];
  for (const char* part : {"in a_then_b (two_mutexes.cc:9, in ",
                           "held by thread main.2 since b_then_a (two_mutexes.cc:15, in ",
                           "in b_then_a (two_mutexes.cc:16, in ",
                           "held by thread main.1 since a_then_b (two_mutexes.cc:8, in "}) {
    EXPECT_NE(summary.find(part), std::string::npos) << "no " << part << " in " << summary;
  }
}

}  // namespace
}  // namespace rff::test
