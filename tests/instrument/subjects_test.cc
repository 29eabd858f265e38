// Tests small programs, compiled in many ways: the patched one behaves like the original and
// reports exactly the accesses that single-stepping the original shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/instrument/frame_oracle.h"
#include "tests/instrument/subject_fixture.h"

namespace rff::test {
namespace {

TEST_P(SubjectTest, BehavesAsTheOriginal) {
  Outcome expected = execute({original_});
  EXPECT_EQ(expected.status, 0);
  EXPECT_FALSE(expected.out.empty());
  Outcome alone = execute({patched_});
  EXPECT_EQ(alone.status, expected.status);
  EXPECT_EQ(alone.out, expected.out);
  std::string counts = folder_ + "/counts";
  Outcome hooked =
      execute({patched_}, {{"LD_PRELOAD", counting_runtime()}, {"RFF_TEST_COUNTS", counts}});
  EXPECT_EQ(hooked.status, expected.status);
  EXPECT_EQ(hooked.out, expected.out);
  EXPECT_GT(std::atol(read_file(counts).c_str()), 20);
}

TEST_P(SubjectTest, BehavesAsTheOriginalWhateverTheHookDoes) {
  expect_unspoilt(patched_, original_);
}

class SteppedSubjectTest : public SubjectTest {};

TEST_P(SteppedSubjectTest, ReportsWhatSteppingShows) {
  // Everything in the environment must have the same length, too: the stack's alignment depends on
  // it.
  std::string oracle = folder_ + "/oracle.so";
  std::string recorder = folder_ + "/record.so";
  std::filesystem::copy_file(stepping_oracle(), oracle);
  std::filesystem::copy_file(recording_runtime(), recorder);
  Recording stepped = record(original_, oracle, log_);
  std::vector<std::string>& expected = stepped.events;
  std::vector<std::string> actual = record_with_stack_as_in(stepped, patched_, recorder).events;

  // The report must name exactly the missing accesses.
  std::set<std::uint64_t> unreported = unreported_sites(report_);
  unreported.merge(private_sites(report_));
  nlohmann::json tables = nlohmann::json::parse(read_file(report_))["linkage_tables"];
  auto in_linkage_table = [&](std::uint64_t site) {
    return std::any_of(tables.begin(), tables.end(), [&](const nlohmann::json& table) {
      return site >= number(table["begin"]) && site < number(table["end"]);
    });
  };
  std::erase_if(expected, [&](const std::string& line) {
    std::uint64_t site = std::stoull(line, nullptr, 16);
    return unreported.count(site) != 0 || in_linkage_table(site);
  });
  ASSERT_GT(expected.size(), 20U);
  for (std::size_t i = 0; i < std::min(expected.size(), actual.size()); ++i) {
    ASSERT_EQ(expected[i], actual[i]) << "event " << i;
  }
  EXPECT_EQ(expected.size(), actual.size());
}

// No value passes between an access without a hook and other code: its slot belongs to one
// activation of one function.
TEST_P(SteppedSubjectTest, LeavesOnlyAccessesToTheOwnFrameUnhooked) {
  Recording stepped = record(original_, stepping_oracle(), log_);
  FrameOracle oracle(private_sites(report_), functions_of_sites(original_));
  for (const std::string& line : stepped.with_returns) {
    oracle.add(line);
  }
  EXPECT_EQ(oracle.leaks(), std::vector<std::string>{});
}

TEST_P(SubjectTest, LeavesNextToNothingAlone) {
  nlohmann::json report = nlohmann::json::parse(read_file(report_));
  // Only start files built without unwind information may be left.
  std::uint64_t found = report["sites_found"];
  std::uint64_t instrumented = report["sites_instrumented"];
  EXPECT_LE(found - instrumented, 3U) << report.dump(1);
}

INSTANTIATE_TEST_SUITE_P(Compiled, SubjectTest, ::testing::ValuesIn(kSubjects), kSubjectName);
INSTANTIATE_TEST_SUITE_P(
    Compiled, SteppedSubjectTest,
    ::testing::ValuesIn(SubjectsThat([](const Subject& s) { return s.steppable; })), kSubjectName);

// This test names the subjects that are not stepped, and the reason.
TEST(SubjectsThatAreNotStepped, AreOnlyComparedByWhatTheyDo) {
  std::string names;
  for (const Subject& subject : SubjectsThat([](const Subject& s) { return !s.steppable; })) {
    names += std::string(names.empty() ? "" : ", ") + subject.name;
  }
  GTEST_SKIP() << "these block signals or have threads and cannot be stepped from inside: "
               << names;
}

}  // namespace
}  // namespace rff::test
