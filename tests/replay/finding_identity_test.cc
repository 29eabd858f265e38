// Tests that two bugs behind one wrapper are two findings, and one bug reached in many ways is one.
#include "fuzzer/debug/finding_identity.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/runner.h"

namespace rff::test {
namespace {

class FindingIdentities : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  static bool works(const std::string& command) { return std::system(command.c_str()) == 0; }

  void SetUp() override {
    cxx_ = std::get<0>(GetParam());
    if (!works("command -v " + cxx_ + " >/dev/null 2>&1")) {
      GTEST_SKIP() << cxx_ << " is not installed";
    }
  }

  // Returns the patched program.
  std::string build(const std::string& source) {
    std::string language = source.ends_with(".c") ? " -x c " : " -x c++ ";
    std::string program = folder_ / std::filesystem::path(source).stem();
    std::string log = folder_ / "log";
    bool built =
        works("{ " + cxx_ + " -g " + std::get<1>(GetParam()) + language +
              RFF_IDENTITY_PROGRAMS "/" + source + " -o " + program + " -pthread && " +
              RFF_INSTRUMENT " -o " + program + ".patched " + program + "; } >" + log + " 2>&1");
    std::ostringstream text;
    text << std::ifstream(log).rdbuf();
    EXPECT_TRUE(built) << text.str();
    return program + ".patched";
  }

  static FindingIdentity identity(const std::string& program, const std::string& kind, int number) {
    Runner runner({program, kind, std::to_string(number)});
    RunResult r = runner.run(runner.schedule(SchedulerKind::kPos, 1));
    DebugInfo debug;
    for (const ModuleRecord& module : r.shared->modules) {
      debug.add_module(module.hash, std::string(module.path.view()));
    }
    return identify(finding_of(*r.shared), debug);
  }

  static void expect_two(const std::string& program, const std::string& kind,
                         const std::string& one, const std::string& other) {
    FindingIdentity first = identity(program, kind, 0);
    FindingIdentity second = identity(program, kind, 1);
    EXPECT_NE(first.text().find(one), std::string::npos) << kind << ":\n" << first.text();
    EXPECT_NE(second.text().find(other), std::string::npos) << kind << ":\n" << second.text();
    EXPECT_NE(first, second) << first.text();
    EXPECT_EQ(first.hash(), identity(program, kind, 0).hash());
  }

  Folder folder_;
  std::string cxx_;
};

TEST_P(FindingIdentities, TwoBugsBehindAWrapperHaveTwo) {
  std::string program = build("behind_wrappers.c");
  expect_two(program, "lock", "deadlock_of_checking", "deadlock_of_savings");
  expect_two(program, "panic", "panic_of_checking", "panic_of_savings");
  expect_two(program, "check", "check_of_checking", "check_of_savings");
  expect_two(program, "free", "double_free_of_checking", "double_free_of_savings");
}

TEST_P(FindingIdentities, TwoBugsBehindTheLibraryHaveTwo) {
  std::string program = build("behind_the_library.cc");
  expect_two(program, "mutex", "mutex_of_checking", "mutex_of_savings");
  expect_two(program, "guard", "guard_of_checking", "guard_of_savings");
  expect_two(program, "at", "at_of_checking", "at_of_savings");
}

TEST_P(FindingIdentities, OneBugReachedInManyWaysHasOne) {
  std::string program = build("many_ways.c");
  for (const char* kind : {"deadlock", "abort", "crash"}) {
    std::set<FindingIdentity> all;
    for (int way = 0; way < 50;
         way += kind[0] == 'd' && std::string(std::get<1>(GetParam())) == "-O2" ? 1 : 7) {
      all.insert(identity(program, kind, way));
    }
    EXPECT_EQ(all.size(), 1u) << all.begin()->text() << "\n" << all.rbegin()->text();
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, FindingIdentities,
                         ::testing::Combine(::testing::Values("g++", "clang++"),
                                            ::testing::Values("-O0", "-Og", "-O2")),
                         [](const auto& i) {
                           std::string name = std::get<0>(i.param);
                           return name.substr(0, name.find('+')) + "_" + (std::get<1>(i.param) + 1);
                         });

TEST(FindingIdentity, BlanksNumbersButNotNames) {
  EXPECT_EQ(without_numbers("t.c:12: f: index 5 of x2 at 0x7f00ab, 3.5"),
            "t.c:#: f: index # of x2 at #, #.#");
}

}  // namespace
}  // namespace rff::test
