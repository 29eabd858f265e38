// Tests rff-fuzz --tests on a program that pretends to be one of GoogleTest: each test has a
// campaign of its own, and a lister that goes wrong is named in one line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "fuzzer/common/files.h"
#include "tests/fuzzer/command.h"

namespace rff {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

class EachTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v afl-fuzz >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "afl-fuzz is not on PATH";
    char name[] = "/tmp/rff-each-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Outcome fuzz(const std::string& options, const std::string& lister = "") {
    std::string line = (lister.empty() ? "" : "LISTER=" + lister + " ") +
                       "exec " RFF_BIN "/rff-fuzz --seed 1 -n 300 -o out --junit rff.xml --tests " +
                       options + " -- " RFF_SUBJECTS "/pretends_to_have_tests";
    return test::start({"/bin/bash", "-c", line}, "/dev/null", folder_).wait(120);
  }
  void expect_refused(const Outcome& o, const std::string& why) {
    EXPECT_EQ(o.status, 2) << o.out << o.err;
    EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_FALSE(fs::exists(folder_ + "/out"));
  }

  std::string folder_;
};

TEST_F(EachTest, EndsAsItsOwnCampaignDoes) {
  Outcome o = fuzz("auto");
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  for (const char* line : {"\nFAILED  Bank.Racy\n", "\npassed  Bank.Right\n",
                           "\nskipped Bank.Single\n", "1 failed, 1 passed, 1 skipped, 0 errors"}) {
    EXPECT_NE(o.out.find(line), std::string::npos) << line << "in\n" << o.out;
  }
  EXPECT_EQ(o.err, "");  // a test without threads is no mistake
  std::string junit = read_file(folder_ + "/rff.xml").value_or("");
  EXPECT_NE(junit.find("Bank.Single ended without creating a thread"), std::string::npos) << junit;
  EXPECT_EQ(junit.find("check its arguments"), std::string::npos) << junit;
}

TEST_F(EachTest, TwoOfOneNameHaveFoldersOfTheirOwn) {
  Outcome o = fuzz("gtest", "twice");
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_TRUE(fs::exists(folder_ + "/out/Bank.Right/outcome.json"));
  EXPECT_TRUE(fs::exists(folder_ + "/out/Bank.Right-2/outcome.json"));
}

TEST_F(EachTest, AListerThatGoesWrongIsNamed) {
  expect_refused(fuzz("gtest", "rubbish"), "pretends_to_have_tests lists no test");
  expect_refused(fuzz("gtest", "silent"), "with all arguments that it needs?");
  expect_refused(fuzz("gtest", "dies"), "lists no test (signal 6 (Aborted))");
  expect_refused(fuzz("gtest", "floods"), "--gtest_list_tests prints without end");
  expect_refused(fuzz("libtest"), "lists no test");
}

TEST_F(EachTest, AListerThatHangsIsStopped) {
  expect_refused(fuzz("gtest", "hangs"), "--gtest_list_tests did not end within 30 s");
}

}  // namespace
}  // namespace rff
