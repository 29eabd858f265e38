// Runs rff-replay as a user would, on findings made for the test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "schedule/schedule_file.h"

namespace rff::test {

struct Output {
  int exit_status = -1;
  std::string out;
  std::string err;
};

// Waits for the end of the program. The exit status is 128 + signal if a signal ended it.
Output run_command(const std::vector<std::string>& command);

class ReplayTest : public testing::Test {
 protected:
  ReplayTest();
  ~ReplayTest() override;

  static std::filesystem::path build_folder();
  static std::string tool(const std::string& name) {
    return (build_folder() / "bin" / name).string();
  }

  // Makes a patched copy of a built program, e.g. "subjects/account", in this test's folder.
  std::string patched(const std::string& program);
  // Returns the path of a schedule file with a finding of that program.
  std::string finding(const std::string& program, SchedulerKind scheduler = SchedulerKind::kPos);
  void write(const std::string& name, const std::string& bytes);
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  Output replay(std::vector<std::string> arguments);
  // Expects exit status 2, and one line of explanation that contains `text`.
  void expect_refused(const Output& o, const std::string& text);

  std::filesystem::path folder_;
};

}  // namespace rff::test
