// Tests rff-instrument --branches: what the hooks are given, and that nobody else notices them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/instrument/patched_file.h"
#include "tests/instrument/subject_fixture.h"

namespace rff::test {
namespace {

void patch_branches(const std::string& file, const std::string& out, const std::string& json) {
  Outcome outcome = execute({RFF_INSTRUMENT, "--branches", file, "-o", out, "--json", json});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
}

class BranchSubjectTest : public SubjectTest {
 protected:
  void SetUp() override {
    SubjectTest::SetUp();
    patch_branches(original_, patched_, report_);
  }
};

TEST_P(BranchSubjectTest, BehavesAsTheOriginal) {
  Outcome expected = execute({original_});
  Outcome actual = execute({patched_});
  EXPECT_EQ(actual.status, expected.status);
  EXPECT_EQ(actual.out, expected.out);
  EXPECT_EQ(actual.err, expected.err);
}

TEST_P(BranchSubjectTest, FlagsAndRegistersSurvive) { expect_unspoilt(patched_, original_); }

TEST_P(BranchSubjectTest, EveryAccessIsReportedAsWithout) {
  std::string plain = folder_ + "/plain.json";
  patch(original_, folder_ + "/without_", plain);
  nlohmann::json with = nlohmann::json::parse(read_file(report_));
  nlohmann::json without = nlohmann::json::parse(read_file(plain));
  EXPECT_EQ(with["sites_instrumented"], without["sites_instrumented"]);
  EXPECT_GT(with["blocks"].get<int>(), 0);
  EXPECT_EQ(without["blocks"].get<int>(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, BranchSubjectTest, ::testing::ValuesIn(kSubjects), kSubjectName);

class BranchesTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = fresh_folder(); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Returns the lines of the runtime that records branches.
  std::vector<std::string> record_branches(const std::string& subject) {
    std::string patched = folder_ + "/patched";
    patch_branches(std::string(RFF_SUBJECTS) + "/" + subject, patched, folder_ + "/report.json");
    Outcome outcome = execute(
        {patched}, {{"LD_PRELOAD", std::string(RFF_TEST_LIBRARIES) + "/libbranch_runtime.so"},
                    {"RFF_TEST_BRANCHES", folder_ + "/log"}});
    EXPECT_EQ(outcome.status, 0);
    return lines_of(read_file(folder_ + "/log"));
  }
  std::string folder_;
};

// Returns the operands in the order of the instruction, cut to their width, of a line of the log.
std::string operands_of(const std::string& line) {
  unsigned long long address = 0;
  unsigned long long given[2] = {0, 0};
  unsigned width = 0;
  unsigned flags = 0;
  std::sscanf(line.c_str(), "%llx %u %u %llx %llx", &address, &width, &flags, &given[0], &given[1]);
  bool swapped = (flags & hook::kSwapped) != 0;
  char text[64];
  std::uint64_t mask = width == 8 ? ~0ULL : (1ULL << (8 * width)) - 1;
  std::snprintf(text, sizeof text, "%llx %llx%s",
                static_cast<unsigned long long>(given[swapped ? 1 : 0] & mask),
                static_cast<unsigned long long>(given[swapped ? 0 : 1] & mask),
                (flags & hook::kConstant) != 0 ? " constant" : "");
  return text;
}

TEST_F(BranchesTest, ComparisonsReportBothOperandsInOrder) {
  std::vector<std::string> made;
  for (const std::string& line : record_branches("comparisons")) {
    made.push_back(operands_of(line));
  }
  const std::vector<std::string> expected = {"123456789abcdef fedcba9876543210",
                                             "76543210 89abcdef",
                                             "cdef 3210",
                                             "ef 10",
                                             "cd 32",
                                             "cd 7f constant",
                                             "123456789abcdef fffffffffffffffe constant",
                                             "4030201 4d constant",
                                             "123456789abcdef 1122334455667788",
                                             "1122334455667788 123456789abcdef",
                                             "99 10",
                                             "fedcba9876543210 123456789abcdef",
                                             "807060504030201 fedcba9876543210",
                                             "89abcdef 0 constant",
                                             "ef 4 constant",
                                             "76543210 89abcdef"};
  EXPECT_TRUE(std::search(made.begin(), made.end(), expected.begin(), expected.end()) != made.end())
      << ::testing::PrintToString(made);
}

TEST_F(BranchesTest, BlocksAreEntered) {
  std::vector<std::string> lines = record_branches("switches_O2");
  ASSERT_FALSE(lines.empty());
  EXPECT_GT(std::stoull(lines[0]), 0u);
}

TEST_F(BranchesTest, WithoutTheOptionThereAreNone) {
  std::string patched = folder_ + "/patched";
  patch(std::string(RFF_SUBJECTS) + "/comparisons", patched, folder_ + "/report.json");
  EXPECT_EQ(PatchedFile(patched).note().branch_count, 0u);
}

TEST_F(BranchesTest, E9PatchIsRefused) {
  Outcome outcome = execute({RFF_INSTRUMENT, "--branches", "--backend", "e9patch",
                             std::string(RFF_SUBJECTS) + "/comparisons", "-o", folder_ + "/out"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(lines_of(outcome.err).size(), 1u);
  EXPECT_NE(outcome.err.find("--branches"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace rff::test
