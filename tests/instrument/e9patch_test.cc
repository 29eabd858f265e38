// The e9patch backend, which needs a program that is not part of this repository. Without it there
// is one test, which is skipped and says so; ctest lists the others where E9Patch is on PATH.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "tests/instrument/subject_fixture.h"

namespace rff::test {
namespace {

TEST(E9Patch, IsOnPath) {
  if (!HaveE9Patch()) {
    GTEST_SKIP() << kNoE9Patch;
  }
}

// The subjects that `wanted` accepts; none without E9Patch.
template <typename Wanted>
std::vector<Subject> SubjectsForE9Patch(Wanted wanted) {
  return HaveE9Patch() ? SubjectsThat(wanted) : std::vector<Subject>{};
}

class PatchedByE9Patch : public SubjectTest {};
class PatchedByBoth : public SubjectTest {};
class PatchedWithTraps : public SubjectTest {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PatchedByE9Patch);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PatchedByBoth);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PatchedWithTraps);

TEST_P(PatchedByE9Patch, BehavesAsTheOriginal) {
  Outcome expected = Execute({original_});
  std::string other = folder_ + "/e9patch_";
  PatchWithE9Patch(original_, other, report_);
  Outcome alone = Execute({other});
  EXPECT_EQ(alone.status, expected.status) << alone.err;
  EXPECT_EQ(alone.out, expected.out);
  std::string counts = folder_ + "/counts";
  Outcome hooked =
      Execute({other}, {{"LD_PRELOAD", CountingRuntime()}, {"RFF_TEST_COUNTS", counts}});
  EXPECT_EQ(hooked.status, expected.status) << hooked.err;
  EXPECT_EQ(hooked.out, expected.out);
  EXPECT_GT(std::atol(ReadFile(counts).c_str()), 20);
  ExpectUnspoilt(other, original_);
}

TEST_P(PatchedByBoth, ReportTheSame) {
  std::string other = folder_ + "/e9patch_";
  std::string builtin_report = folder_ + "/builtin.json";
  std::filesystem::copy_file(report_, builtin_report);
  PatchWithE9Patch(original_, other, report_);
  std::set<std::uint64_t> unreported = Unreported(report_);
  unreported.merge(Unreported(builtin_report));
  Recording builtin = Record(patched_, RecordingRuntime(), log_);
  Recording e9patch = RecordWithStackAsIn(builtin, other, RecordingRuntime());
  for (std::vector<std::string>* events : {&builtin.events, &e9patch.events}) {
    std::erase_if(*events, [&](const std::string& line) {
      return unreported.count(std::stoull(line, nullptr, 16)) != 0;
    });
  }
  EXPECT_LT(unreported.size(), 8U);
  ASSERT_GT(builtin.events.size(), 20U);
  ASSERT_EQ(builtin.events.size(), e9patch.events.size());
  for (std::size_t i = 0; i < builtin.events.size(); ++i) {
    ASSERT_EQ(builtin.events[i], e9patch.events[i]) << "event " << i;
  }
}

TEST_P(PatchedWithTraps, HasMoreSitesAndBehavesAsTheOriginal) {
  std::uint64_t instrumented[2];
  for (bool traps : {false, true}) {
    PatchWithE9Patch(
        original_, patched_, report_,
        traps ? std::vector<std::string>{"--allow-traps"} : std::vector<std::string>{});
    instrumented[traps] = nlohmann::json::parse(ReadFile(report_))["sites_instrumented"];
  }
  EXPECT_GT(instrumented[1], instrumented[0]);
  // E9Patch's loader ends the whole process group if something is missing.
  Outcome outcome = Execute({"setsid", "--wait", patched_});
  if (outcome.err.find("seccomp() failed") != std::string::npos) {
    GTEST_SKIP() << "E9Patch's traps need seccomp, which this kernel or emulator does not have";
  }
  Outcome expected = Execute({original_});
  EXPECT_EQ(outcome.status, expected.status);
  EXPECT_EQ(outcome.out, expected.out);
}

INSTANTIATE_TEST_SUITE_P(
    Compiled, PatchedByE9Patch,
    ::testing::ValuesIn(SubjectsForE9Patch([](const Subject&) { return true; })), kSubjectName);
// The others do not access the same memory on every run.
INSTANTIATE_TEST_SUITE_P(Compiled, PatchedByBoth,
                         ::testing::ValuesIn(SubjectsForE9Patch([](const Subject& s) {
                           return s.steppable;
                         })),
                         kSubjectName);
INSTANTIATE_TEST_SUITE_P(Compiled, PatchedWithTraps,
                         ::testing::ValuesIn(SubjectsForE9Patch([](const Subject& s) {
                           return std::string(s.name) == "instruction_classes_no_pie";
                         })),
                         kSubjectName);

}  // namespace
}  // namespace rff::test
