// Tests the e9patch backend, which needs a program that is not part of this repository. Without
// E9Patch on PATH there is one test, which is skipped and says so.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "tests/instrument/subject_fixture.h"

namespace rff::test {
namespace {

TEST(E9Patch, IsOnPath) {
  if (!have_e9_patch()) {
    GTEST_SKIP() << kNoE9Patch;
  }
}

// Returns the subjects that `wanted` accepts; none without E9Patch.
template <typename Wanted>
std::vector<Subject> SubjectsForE9Patch(Wanted wanted) {
  return have_e9_patch() ? SubjectsThat(wanted) : std::vector<Subject>{};
}

class PatchedByE9Patch : public SubjectTest {};
class PatchedByBoth : public SubjectTest {};
class PatchedWithTraps : public SubjectTest {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PatchedByE9Patch);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PatchedByBoth);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PatchedWithTraps);

TEST_P(PatchedByE9Patch, BehavesAsTheOriginal) {
  Outcome expected = execute({original_});
  std::string other = folder_ + "/e9patch_";
  patch_with_e9_patch(original_, other, report_);
  Outcome alone = execute({other});
  EXPECT_EQ(alone.status, expected.status) << alone.err;
  EXPECT_EQ(alone.out, expected.out);
  std::string counts = folder_ + "/counts";
  Outcome hooked =
      execute({other}, {{"LD_PRELOAD", counting_runtime()}, {"RFF_TEST_COUNTS", counts}});
  EXPECT_EQ(hooked.status, expected.status) << hooked.err;
  EXPECT_EQ(hooked.out, expected.out);
  EXPECT_GT(std::atol(read_file(counts).c_str()), 20);
  expect_unspoilt(other, original_);
}

TEST_P(PatchedByBoth, ReportTheSame) {
  std::string other = folder_ + "/e9patch_";
  std::string builtin_report = folder_ + "/builtin.json";
  std::filesystem::copy_file(report_, builtin_report);
  patch_with_e9_patch(original_, other, report_);
  std::set<std::uint64_t> unreported = unreported_sites(report_);
  unreported.merge(unreported_sites(builtin_report));
  Recording builtin = record(patched_, recording_runtime(), log_);
  Recording e9patch = record_with_stack_as_in(builtin, other, recording_runtime());
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
    patch_with_e9_patch(
        original_, patched_, report_,
        traps ? std::vector<std::string>{"--allow-traps"} : std::vector<std::string>{});
    instrumented[traps] = nlohmann::json::parse(read_file(report_))["sites_instrumented"];
  }
  EXPECT_GT(instrumented[1], instrumented[0]);
  // E9Patch's loader ends the whole process group if something is missing.
  Outcome outcome = execute({"setsid", "--wait", patched_});
  if (outcome.err.find("seccomp() failed") != std::string::npos) {
    GTEST_SKIP() << "E9Patch's traps need seccomp, which this kernel or emulator does not have";
  }
  Outcome expected = execute({original_});
  EXPECT_EQ(outcome.status, expected.status);
  EXPECT_EQ(outcome.out, expected.out);
}

INSTANTIATE_TEST_SUITE_P(
    Compiled, PatchedByE9Patch,
    ::testing::ValuesIn(SubjectsForE9Patch([](const Subject&) { return true; })), kSubjectName);
// Other subjects do not access the same memory in every run.
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
