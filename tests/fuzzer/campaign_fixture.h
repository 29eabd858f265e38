// A fixture that runs whole campaigns with real afl-fuzz and a simulated runtime
// (fake_launcher.cc).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "schedule/schedule_file.h"
#include "tests/fuzzer/command.h"

namespace rff {

namespace fs = std::filesystem;
using test::Outcome;
using test::Running;

inline bool have_afl_fuzz() { return std::system("command -v afl-fuzz >/dev/null 2>&1") == 0; }

class Campaign : public testing::Test {
 protected:
  void SetUp() override {
    if (!have_afl_fuzz()) GTEST_SKIP() << "afl-fuzz is not on PATH";
    char name[] = "/tmp/rff-campaign-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // `behavior`: see fake_launcher.cc.
  std::vector<std::string> command(std::vector<std::string> options,
                                   const std::string& behavior = "") {
    std::vector<std::string> c = {RFF_STAGE "/bin/rff-fuzz"};
    if (std::find(options.begin(), options.end(), "-o") == options.end()) {
      c.insert(c.end(), {"-o", output().string()});
    }
    c.insert(c.end(), options.begin(), options.end());
    c.insert(c.end(), {"--", RFF_STAGE "/prog.patched"});
    if (!behavior.empty()) c.push_back(behavior);
    return c;
  }
  Outcome fuzz(const std::vector<std::string>& options, const std::string& behavior = "") {
    return test::start(command(options, behavior)).wait();
  }
  fs::path output() const { return fs::path(folder_) / "out"; }
  nlohmann::json stats() const {
    return nlohmann::json::parse(read_file(output() / "stats.json").value_or("{}"), nullptr, false);
  }
  std::map<std::string, std::string> corpus() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(output() / "corpus")) {
      files[entry.path().filename()] = read_file(entry.path()).value_or("");
    }
    return files;
  }
  static void expect_one_line(const std::string& text) {
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    EXPECT_TRUE(text.starts_with("rff-fuzz: ")) << text;
  }

  std::string folder_;
};

}  // namespace rff
