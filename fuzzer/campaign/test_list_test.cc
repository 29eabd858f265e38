#include "fuzzer/campaign/test_list.h"

#include <gtest/gtest.h>

#include "fuzzer/campaign/test_campaigns.h"

namespace rff {
namespace {

TEST(TestList, GoogleTestNamesParametersTypesAndDisabledTests) {
  std::vector<ListedTest> tests = gtest_tests(R"({"testsuites": [
    {"name": "Queue", "testsuite": [{"name": "Pops"}, {"name": "DISABLED_Slow"}]},
    {"name": "Sizes/Pool", "testsuite": [{"name": "Grows/0", "value_param": "1"}]},
    {"name": "DISABLED_Old", "testsuite": [{"name": "Test"}]}]})");
  ASSERT_EQ(tests.size(), 4);
  EXPECT_EQ(tests[0], (ListedTest{"Queue.Pops", {"--gtest_filter=Queue.Pops"}, false}));
  EXPECT_TRUE(tests[1].disabled);
  EXPECT_EQ(tests[2].name, "Sizes/Pool.Grows/0");
  EXPECT_TRUE(tests[3].disabled);
}

TEST(TestList, RubbishIsNoTest) {
  EXPECT_TRUE(gtest_tests("").empty());
  EXPECT_TRUE(gtest_tests(R"({"testsuites": 5})").empty());
  EXPECT_TRUE(libtest_tests("hello\nusage: x\n", "").empty());
}

TEST(TestList, LibtestLeavesIgnoredTestsAndBenchmarksOut) {
  std::vector<ListedTest> tests =
      libtest_tests("a::b: test\nslow: test\nfast: benchmark\n", "slow: test\n");
  ASSERT_EQ(tests.size(), 2);
  EXPECT_EQ(tests[0].arguments, (std::vector<std::string>{"--exact", "a::b", "--test-threads=1"}));
  EXPECT_FALSE(tests[0].disabled);
  EXPECT_TRUE(tests[1].disabled);
}

TEST(TestList, Catch2NamesAreEscaped) {
  std::vector<ListedTest> tests = catch2_tests("push, then pop [fast]\n\n  second\n");
  ASSERT_EQ(tests.size(), 2);
  EXPECT_EQ(tests[0].arguments[0], "push\\, then pop \\[fast\\]");
  EXPECT_EQ(tests[1].name, "second");
}

TEST(TestList, TestsOfOneNameHaveFoldersOfTheirOwn) {
  EXPECT_EQ(test_folders({"a/b", "a:b", "..", "a/b"}),
            (std::vector<std::string>{"a_b", "a_b-2", "..-2", "a_b-3"}));
}

}  // namespace
}  // namespace rff
