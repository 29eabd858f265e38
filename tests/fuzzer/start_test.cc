// rff-fuzz and rff-replay on programs that are hard to start: they run like any other, or are
// refused in one line that says why.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "tests/fuzzer/command.h"

namespace rff {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

class StartTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v afl-fuzz >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "afl-fuzz is not on PATH";
    char name[] = "/tmp/rff-start-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A campaign on hard_to_start WAY, started by the shell with `before` in front of it.
  Outcome fuzz(const std::string& way, const std::string& options = "-n 30",
               const std::string& before = "exec") {
    std::string line = before + " " RFF_BIN "/rff-fuzz --seed 1 -o '" + folder_ + "/out' " +
                       options + " " RFF_SUBJECTS "/hard_to_start '" + way + "'";
    return test::start({"/bin/bash", "-c", line}, "/dev/null", folder_).wait(120);
  }
  void expect_runs(const Outcome& o) {
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    nlohmann::json stats = nlohmann::json::parse(
        read_file(folder_ + "/out/stats.json").value_or("{}"), nullptr, false);
    EXPECT_EQ(stats["schedules"], 30) << o.out << o.err;
    EXPECT_GT(stats["rf_combinations"], 1);
    EXPECT_EQ(stats["unstable"], 0);
    EXPECT_EQ(stats["lost"], 0);
  }

  std::string folder_;
};

TEST_F(StartTest, OfAProgramThatMayOpenFewFiles) {
  expect_runs(fuzz("few files", "-n 30", "ulimit -S -n 64; exec"));
}

}  // namespace
}  // namespace rff
