// Tests stop points of the user's choice from the command line to the replayed finding.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "schedule/schedule_file.h"
#include "tests/fuzzer/command.h"

namespace rff {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

class StopPointsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v afl-fuzz >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "afl-fuzz is not on PATH";
    char name[] = "/tmp/rff-stops-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Outcome fuzz(const std::string& subject, std::vector<std::string> options) {
    std::vector<std::string> c = {RFF_BIN "/rff-fuzz", "-o", folder_ + "/out", "--quiet",
                                  "--force"};
    c.insert(c.end(), options.begin(), options.end());
    c.insert(c.end(), {"--", subject.starts_with("/") ? subject : RFF_SUBJECTS "/" + subject});
    return test::start(c).wait(120);
  }
  nlohmann::json stats() {
    return nlohmann::json::parse(read_file(folder_ + "/out/stats.json").value_or("{}"), nullptr,
                                 false);
  }
  // Expects bad usage with this message.
  void expect_refused(const std::string& subject, const std::string& stop,
                      const std::string& message) {
    Outcome o = fuzz(subject, {"-n", "1", "--stop-at", stop});
    EXPECT_EQ(o.status, 2) << o.out;
    EXPECT_EQ(o.err, "rff-fuzz: --stop-at " + stop + ": " + message + "\n");
  }

  std::string folder_;
};

std::string last_line(const std::string& text) {
  std::size_t end = text.find_last_not_of('\n');
  std::size_t begin = text.rfind('\n', end);
  return text.substr(begin + 1, end - begin);
}

TEST_F(StopPointsTest, TheVerdictSaysThatItIsAboutThem) {
  ASSERT_EQ(write_file(folder_ + "/stops", "# all four\nfunction:compute_data\nfunction:add\n"), 0);
  Outcome o = fuzz("two_stop_points_right",
                   {"--scheduler", "systematic", "--classes", "interleavings", "--pick", "first",
                    "--require-complete", "--stop-at-file", folder_ + "/stops", "--stop-at",
                    "function:take", "--stop-at", "function:write_line"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_EQ(last_line(o.out),
            "complete at the chosen stop points: all 6 interleavings explored, nothing fails");
  EXPECT_EQ(stats()["schedules"], 6);
  EXPECT_EQ(stats()["systematic"]["verdict"], "complete at the chosen stop points");
  EXPECT_EQ(stats()["unstable"], 0);
}

TEST_F(StopPointsTest, AFindingNeedsNoOptionsToBeReplayed) {
  Outcome o = fuzz("two_stop_points_broken",
                   {"--seed", "1", "-n", "100", "--scheduler", "random", "--stop-at",
                    "function:add", "--stop-at", "function:take in:thread2"});
  ASSERT_EQ(o.status, 1) << o.out << o.err;
  ASSERT_EQ(stats()["findings"].size(), 1u);
  std::string finding = folder_ + "/out/" + std::string(stats()["findings"][0]["folder"]);
  for (const char* file : {"/schedule.bin", "/minimized.bin"}) {
    Outcome replay =
        test::start({RFF_BIN "/rff-replay", "--quick", "--runs", "20", finding + file}).wait(120);
    EXPECT_EQ(replay.status, 1) << replay.err;
    EXPECT_NE(replay.out.find("20 of 20 reproduced"), std::string::npos) << file << replay.out;
    DecodeResult schedule = decode_schedule(read_file(finding + file).value_or(""));
    ASSERT_TRUE(schedule.schedule) << file;
    EXPECT_EQ(schedule.schedule->points.stops.size(), 2u) << file;
  }
  Outcome shown =
      test::start({RFF_BIN "/rff-replay", "--show", finding + "/schedule.bin"}).wait(60);
  EXPECT_NE(shown.out.find("stops at:    function:take in:thread2"), std::string::npos)
      << shown.out;
}

TEST_F(StopPointsTest, AResumedCampaignHasTheSameOnes) {
  ASSERT_EQ(fuzz("two_stop_points_right", {"-n", "20", "--stop-at", "calls"}).status, 0);
  auto resume = [&](const std::string& stop) {
    return test::start({RFF_BIN "/rff-fuzz", "-o", folder_ + "/out", "-i", "-", "--quiet", "-n",
                        "20", "--stop-at", stop, "--", RFF_SUBJECTS "/two_stop_points_right"})
        .wait(60);
  };
  EXPECT_EQ(resume("calls").status, 0);
  Outcome other = resume("primitives");
  EXPECT_EQ(other.status, 2) << other.err;
  EXPECT_NE(other.err.find("has other stop points"), std::string::npos) << other.err;
}

TEST_F(StopPointsTest, PatternsThatMatchNothingNameTheNearest) {
  const char* program = "two_stop_points_right";
  expect_refused(program, "function:ad", "no function matches ad; nearest: add, main, take");
  expect_refused(program, "variable:cuont",
                 "no global variable matches cuont; nearest: count, buffer, taken");
  expect_refused(program, "file:two_stop_point.c",
                 "no file with an access to memory matches two_stop_point.c; nearest: "
                 "two_stop_points.c");
  expect_refused(program, "file:two_stop_points.c:1-3",
                 "no code at these lines of two_stop_points.c");
  expect_refused(program, "calls in:thread3",
                 "no function matches thread3; nearest: thread1, thread2, add");
  expect_refused("two_stop_points_stripped", "file:two_stop_points.c",
                 "the program has no debug information, which names files and lines: compile it "
                 "with -g");
  expect_refused("two_stop_points_stripped", "function:add",
                 "the program has no symbols, so its functions have no names: do not strip it");
}

TEST_F(StopPointsTest, AProgramThatIsPatchedWithoutItsCallsHasNone) {
  std::string patched = folder_ + "/plain.patched";
  Outcome o =
      test::start({RFF_BIN "/rff-instrument", "-o", patched, RFF_SUBJECTS "/two_stop_points_right"})
          .wait(60);
  ASSERT_EQ(o.status, 0) << o.err;
  expect_refused(patched, "calls",
                 patched +
                     " was patched without its calls: give the original program, or patch it "
                     "with rff-instrument --calls");
  EXPECT_EQ(fuzz(patched, {"-n", "20", "--stop-at", "variable:count"}).status, 0);
}

// An operation that waits is a stop point whatever is chosen, or it would look like a deadlock.
TEST_F(StopPointsTest, FewStopPointsMakeNoFalseDeadlock) {
  for (const char* program : {"bounded_buffer_right", "readers_writers", "dining_ordered",
                              "barrier_stages", "two_stop_points_right"}) {
    for (const char* scheduler : {"random", "pct", "systematic"}) {
      Outcome o = fuzz(program, {"--seed", "1", "-n", "40", "--no-plain-run", "--scheduler",
                                 scheduler, "--stop-at", "function:main"});
      EXPECT_EQ(o.status, 0) << program << " " << scheduler << ": " << o.out << o.err;
    }
  }
}

TEST_F(StopPointsTest, TheListHasPlacesFunctionsAndVariables) {
  fs::current_path(folder_);
  Outcome o = test::start({RFF_BIN "/rff-fuzz", "--list-stop-points", "--",
                           RFF_SUBJECTS "/two_stop_points_right"})
                  .wait(60);
  EXPECT_EQ(o.status, 0) << o.err;
  for (const char* line :
       {"1  call    two_stop_points.c:14  add\n",
        "1  write   two_stop_points.c:14  add           count\n",
        "1  call    two_stop_points.c:18  thread1\n", "1  join    two_stop_points.c:32  main\n"}) {
    EXPECT_NE(o.out.find(line), std::string::npos) << line << o.out;
  }
  EXPECT_TRUE(fs::is_empty(folder_)) << "it leaves nothing behind";
  o = test::start({RFF_BIN "/rff-fuzz", "--list-stop-points", "--stop-at", "function:add", "--",
                   RFF_SUBJECTS "/two_stop_points_right"})
          .wait(60);
  EXPECT_EQ(o.out.find("take"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("call    two_stop_points.c:14  add"), std::string::npos) << o.out;
}

}  // namespace
}  // namespace rff
