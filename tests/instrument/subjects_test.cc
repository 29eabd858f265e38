// Small programs, compiled in many ways: the patched one behaves as the original and reports
// exactly the accesses that single-stepping the original shows.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/instrument/support.h"

namespace rff::test {
namespace {

struct Subject {
  const char* name;
  bool steppable;  // blocks no signals and has one thread
};

constexpr Subject kSubjects[] = {
#include "subjects.inc"
};

std::uint64_t Number(const nlohmann::json& hex) {
  return std::stoull(hex.get<std::string>(), nullptr, 16);
}

std::set<std::uint64_t> Unreported(const std::string& report_file) {
  std::set<std::uint64_t> sites;
  nlohmann::json report = nlohmann::json::parse(ReadFile(report_file));
  for (const auto& item : report["left_alone"]) {
    for (const auto& site : item["sites"]) {
      sites.insert(Number(site));
    }
  }
  return sites;
}

class SubjectTest : public ::testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    folder_ = FreshFolder();
    // Names of equal length: the path is on the program's stack.
    original_ = folder_ + "/original";
    patched_ = folder_ + "/patched_";
    report_ = folder_ + "/report.json";
    log_ = folder_ + "/log";
    std::filesystem::copy_file(std::string(RFF_SUBJECTS) + "/" + GetParam().name, original_);
    Patch(original_, patched_, report_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The kernel may draw the place of the stack anew for each run.
  Recording RecordWithStackAsIn(const Recording& other, const std::string& program,
                                const std::string& library) {
    constexpr int kEnough = 200;
    for (int i = 0; i < kEnough; ++i) {
      Recording recording = Record(program, library, log_);
      if (recording.stack == other.stack || HasFailure()) {
        return recording;
      }
    }
    ADD_FAILURE() << "never again: " << other.stack;
    return {};
  }

  std::string folder_, original_, patched_, report_, log_;
};

TEST_P(SubjectTest, BehavesAsTheOriginal) {
  Outcome expected = Execute({original_});
  EXPECT_EQ(expected.status, 0);
  EXPECT_FALSE(expected.out.empty());
  Outcome alone = Execute({patched_});
  EXPECT_EQ(alone.status, expected.status);
  EXPECT_EQ(alone.out, expected.out);
  std::string counts = folder_ + "/counts";
  Outcome hooked =
      Execute({patched_}, {{"LD_PRELOAD", CountingRuntime()}, {"RFF_TEST_COUNTS", counts}});
  EXPECT_EQ(hooked.status, expected.status);
  EXPECT_EQ(hooked.out, expected.out);
  EXPECT_GT(std::atol(ReadFile(counts).c_str()), 20);
}

void ExpectUnspoilt(const std::string& patched, const std::string& original) {
  Outcome expected = Execute({original});
  for (const char* flags : {"0", "8d5"}) {
    Outcome actual =
        Execute({patched}, {{"LD_PRELOAD", SpoilingRuntime()}, {"RFF_TEST_FLAGS", flags}});
    EXPECT_EQ(actual.status, expected.status) << flags;
    EXPECT_EQ(actual.out, expected.out) << flags;
  }
}

TEST_P(SubjectTest, BehavesAsTheOriginalWhateverTheHookDoes) {
  ExpectUnspoilt(patched_, original_);
}

TEST_P(SubjectTest, ReportsWhatSteppingShows) {
  if (!GetParam().steppable) {
    GTEST_SKIP() << "blocks signals or has threads: cannot be stepped from inside";
  }
  // Everything in the environment must have the same length too: alignment of the stack depends on
  // it.
  std::string oracle = folder_ + "/oracle.so";
  std::string record = folder_ + "/record.so";
  std::filesystem::copy_file(SteppingOracle(), oracle);
  std::filesystem::copy_file(RecordingRuntime(), record);
  Recording stepped = Record(original_, oracle, log_);
  std::vector<std::string>& expected = stepped.events;
  std::vector<std::string> actual = RecordWithStackAsIn(stepped, patched_, record).events;

  // Missing is exactly what the report names.
  std::set<std::uint64_t> unreported = Unreported(report_);
  nlohmann::json tables = nlohmann::json::parse(ReadFile(report_))["linkage_tables"];
  auto in_linkage_table = [&](std::uint64_t site) {
    return std::any_of(tables.begin(), tables.end(), [&](const nlohmann::json& table) {
      return site >= Number(table["begin"]) && site < Number(table["end"]);
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

TEST_P(SubjectTest, BehavesAsTheOriginalWithE9Patch) {
  if (!HaveE9Patch()) {
    GTEST_SKIP() << kNoE9Patch;
  }
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

TEST_P(SubjectTest, BothBackendsReportTheSame) {
  if (!GetParam().steppable) {
    GTEST_SKIP() << "not the same on every run";
  }
  if (!HaveE9Patch()) {
    GTEST_SKIP() << kNoE9Patch;
  }
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

TEST_P(SubjectTest, LeavesNextToNothingAlone) {
  nlohmann::json report = nlohmann::json::parse(ReadFile(report_));
  // Start files built without unwind information are all that may be left.
  std::uint64_t found = report["sites_found"];
  std::uint64_t instrumented = report["sites_instrumented"];
  EXPECT_LE(found - instrumented, 3U) << report.dump(1);
}

INSTANTIATE_TEST_SUITE_P(Compiled, SubjectTest, ::testing::ValuesIn(kSubjects),
                         [](const auto& subject) { return std::string(subject.param.name); });

}  // namespace
}  // namespace rff::test
