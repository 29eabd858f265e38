// A fixture for the small programs in programs/, built in many ways, each patched in its own
// folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "tests/instrument/support.h"

namespace rff::test {

struct Subject {
  const char* name;
  bool steppable;  // blocks no signals and has one thread
};

inline constexpr Subject kSubjects[] = {
#include "subjects.inc"
};

inline constexpr auto kSubjectName = [](const auto& subject) {
  return std::string(subject.param.name);
};
// ctest lists a subject by its name, not by its bytes, which contain addresses.
inline void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

// Returns the subjects that `wanted` accepts.
template <typename Wanted>
std::vector<Subject> SubjectsThat(Wanted wanted) {
  std::vector<Subject> subjects;
  std::copy_if(std::begin(kSubjects), std::end(kSubjects), std::back_inserter(subjects), wanted);
  return subjects;
}

inline std::uint64_t number(const nlohmann::json& hex) {
  return std::stoull(hex.get<std::string>(), nullptr, 16);
}

inline std::set<std::uint64_t> unreported_sites(const std::string& report_file) {
  std::set<std::uint64_t> sites;
  nlohmann::json report = nlohmann::json::parse(read_file(report_file));
  for (const auto& item : report["left_alone"]) {
    for (const auto& site : item["sites"]) {
      sites.insert(number(site));
    }
  }
  return sites;
}

class SubjectTest : public ::testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    // The names have equal length because the path is on the program's stack.
    original_ = folder_ + "/original";
    patched_ = folder_ + "/patched_";
    report_ = folder_ + "/report.json";
    log_ = folder_ + "/log";
    std::filesystem::copy_file(std::string(RFF_SUBJECTS) + "/" + GetParam().name, original_);
    patch(original_, patched_, report_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Repeats the run until the stack is aligned alike: the kernel may place it differently each
  // time.
  Recording record_with_stack_as_in(const Recording& other, const std::string& program,
                                    const std::string& library) {
    constexpr int kEnough = 200;
    for (int i = 0; i < kEnough; ++i) {
      Recording recording = record(program, library, log_);
      if (recording.stack == other.stack || HasFailure()) {
        return recording;
      }
    }
    ADD_FAILURE() << "never again: " << other.stack;
    return {};
  }

  std::string folder_, original_, patched_, report_, log_;
};

// Expects the original's output although the runtime changes every register and flag it may.
inline void expect_unspoilt(const std::string& patched, const std::string& original) {
  Outcome expected = execute({original});
  for (const char* flags : {"0", "8d5"}) {
    Outcome actual =
        execute({patched}, {{"LD_PRELOAD", spoiling_runtime()}, {"RFF_TEST_FLAGS", flags}});
    EXPECT_EQ(actual.status, expected.status) << flags;
    EXPECT_EQ(actual.out, expected.out) << flags;
  }
}

}  // namespace rff::test
