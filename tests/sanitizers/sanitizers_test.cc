// Tests that programs built with a sanitizer work like others, and that its reports are findings.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "fuzzer/common/files.h"
#include "tests/fuzzer/command.h"

namespace rff {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

class SanitizerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v afl-fuzz >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "afl-fuzz is not on PATH";
    }
    char name[] = "/tmp/rff-sanitizer-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string program(const std::string& name) { return RFF_SANITIZED "/" + name; }
  // Programs that need clang are built if clang is available.
  static bool is_built(const std::string& name) { return fs::exists(program(name)); }

  Outcome fuzz(const std::string& name, std::vector<std::string> options) {
    std::vector<std::string> c = {RFF_BIN "/rff-fuzz", "-o", folder_ + "/out", "--quiet",
                                  "--minimize",        "0",  "--seed",         "1"};
    c.insert(c.end(), options.begin(), options.end());
    c.insert(c.end(), {"--", program(name)});
    return test::start(c).wait(300);
  }
  nlohmann::json stats() {
    return nlohmann::json::parse(read_file(folder_ + "/out/stats.json").value_or("{}"), nullptr,
                                 false);
  }

  std::string folder_;
};

class Correct : public SanitizerTest, public testing::WithParamInterface<const char*> {};

TEST_P(Correct, IsExploredWithoutAFindingOrADifference) {
  if (!is_built(GetParam())) {
    GTEST_SKIP() << "there is no clang";
  }
  // RFF_TEST_SCHEDULES sets another number of schedules.
  const char* wanted = std::getenv("RFF_TEST_SCHEDULES");
  Outcome o = fuzz(GetParam(), {"-n", wanted != nullptr ? wanted : "40"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_GE(stats()["schedules"], 40) << o.out;
  EXPECT_GT(stats()["rf_combinations"], 2) << o.out;
  EXPECT_EQ(stats()["unstable"], 0) << o.out;
  EXPECT_EQ(stats()["unresponsive"], 0) << o.out;
}

INSTANTIATE_TEST_SUITE_P(Programs, Correct,
                         testing::Values("ends_early-gcc-address", "ends_early-clang-address",
                                         "queue-gcc-address", "queue-gcc-address-static",
                                         "queue-gcc-undefined", "turns-gcc-address-undefined",
                                         "turns-gcc-leak", "queue-clang-address",
                                         "queue-clang-address-shared", "turns-clang-undefined",
                                         "turns-clang-address-undefined", "turns-clang-leak",
                                         "ends_early-clang19-address", "queue-clang19-address",
                                         "turns-clang19-address-undefined", "turns-clang19-leak"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

struct Bug {
  const char* program;
  const char* summary;  // the beginning of the summary
  const char* function;
  int line;
};
void PrintTo(const Bug& b, std::ostream* out) { *out << b.program; }

class Faulty : public SanitizerTest, public testing::WithParamInterface<Bug> {};

TEST_P(Faulty, IsFoundAtItsPlaceWithTheReportAndReplayed) {
  const Bug& bug = GetParam();
  if (!is_built(bug.program)) {
    GTEST_SKIP() << "there is no clang";
  }
  Outcome o = fuzz(bug.program, {"--until-bug", "-n", "100"});
  ASSERT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_EQ(stats()["unstable"], 0) << o.out;
  ASSERT_EQ(stats()["findings"].size(), 1u) << o.out;
  nlohmann::json finding = stats()["findings"][0];
  EXPECT_EQ(finding["kind"], "crash");
  EXPECT_TRUE(std::string(finding["summary"]).starts_with(bug.summary)) << finding;
  std::string folder = folder_ + "/out/" + std::string(finding["folder"]);
  nlohmann::json report =
      nlohmann::json::parse(read_file(folder + "/report.json").value_or("{}"), nullptr, false);
  std::string function = report["finding"]["place"].value("function", "");
  EXPECT_TRUE(function.ends_with(bug.function)) << report;  // clang adds the namespace
  EXPECT_EQ(report["finding"]["place"]["line"], bug.line) << report;
  std::string text = report["finding"].value("sanitizer", "");
  std::string_view kind = bug.summary;
  const char* said = kind.starts_with("Leak")        ? "Direct leak"
                     : kind.starts_with("Undefined") ? "runtime error"
                                                     : "Sanitizer";
  EXPECT_NE(text.find(said), std::string::npos) << text;

  o = test::start({RFF_BIN "/rff-replay", "--quick", folder + "/schedule.bin"}).wait(120);
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_NE(o.out.find("REPRODUCED, the same run event by event"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("What the sanitizer reported:"), std::string::npos) << o.out;
}

// While one thread reports a double free, others find the same one and wait for it unseen.
TEST_F(SanitizerTest, ThreadsMeetInTheReport) {
  if (!is_built("free_twice-clang-address")) {
    GTEST_SKIP() << "there is no clang";
  }
  Outcome o = fuzz("free_twice-clang-address", {"-n", "60", "--schedule-timeout", "5000"});
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_GE(stats()["findings"].size(), 1u) << o.out;
  EXPECT_EQ(stats()["unresponsive"], 0) << o.out;
  EXPECT_EQ(stats()["unstable"], 0) << o.out;
}

constexpr char kUseAfterFree[] = "AddressSanitizer: heap-use-after-free";
constexpr char kOverflow[] = "AddressSanitizer: heap-buffer-overflow (WRITE of size 4)";
constexpr char kTooMany[] = "UndefinedBehaviorSanitizer: signed integer overflow: 2147483647 + 1";
constexpr char kLeak[] = "LeakSanitizer: 100 byte(s) leaked in 1 allocation(s)";

INSTANTIATE_TEST_SUITE_P(
    Programs, Faulty,
    testing::Values(
        Bug{"use_after_free-gcc-address", kUseAfterFree, "use", 15},
        Bug{"use_after_free-gcc-address-static", kUseAfterFree, "use", 15},
        Bug{"use_after_free-clang-address", kUseAfterFree, "use", 15},
        Bug{"use_after_free-clang-address-shared", kUseAfterFree, "use", 15},
        Bug{"use_after_free-clang19-address", kUseAfterFree, "use", 15},
        Bug{"overflow-gcc-address", kOverflow, "take", 12},
        Bug{"overflow-clang-address", kOverflow, "take", 12},
        Bug{"too_many-gcc-undefined", kTooMany, "add", 9},
        Bug{"too_many-gcc-address-undefined", kTooMany, "add", 9},
        Bug{"too_many-clang-undefined", kTooMany, "add", 9},
        Bug{"too_many-clang-address-undefined", kTooMany, "add", 9},
        Bug{"leak-gcc-address", kLeak, "fill", 9}, Bug{"leak-gcc-leak", kLeak, "fill", 9},
        Bug{"leak-clang-address", kLeak, "fill", 9}, Bug{"leak-clang-leak", kLeak, "fill", 9},
        Bug{"leak-clang19-address", kLeak, "fill", 9}, Bug{"leak-clang19-leak", kLeak, "fill", 9}),
    [](const auto& instance) {
      std::string name = instance.param.program;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

class Refused : public SanitizerTest {
 protected:
  void expect_refused(const std::string& name, const std::string& words) {
    for (const Outcome& o :
         {test::start({RFF_BIN "/rff-instrument", "-o", folder_ + "/patched", program(name)})
              .wait(),
          fuzz(name, {"-n", "5"})}) {
      EXPECT_EQ(o.status, 2) << o.out << o.err;
      EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
      EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    }
  }
};

TEST_F(Refused, ThreadSanitizerByItsName) {
  expect_refused("turns-gcc-thread",
                 "is built with ThreadSanitizer, which does not work under RFF: build it without "
                 "-fsanitize=thread");
}

TEST_F(Refused, MemorySanitizerByItsName) {
  if (!is_built("turns-clang-memory")) {
    GTEST_SKIP() << "there is no clang";
  }
  expect_refused("turns-clang-memory", "is built with MemorySanitizer");
}

}  // namespace
}  // namespace rff
