// Tests rff-fuzz on real programs, from the plain executable to the replayed finding: bugs of many
// kinds are found within a budget, and correct programs have no finding although their schedules
// are really explored.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "schedule/schedule_file.h"
#include "tests/fuzzer/command.h"

namespace rff {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

class SubjectTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v afl-fuzz >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "afl-fuzz is not on PATH";
    char name[] = "/tmp/rff-subject-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Outcome fuzz(const std::string& subject, std::vector<std::string> options,
               const std::string& out = "out", const char* minimize_runs = "0") {
    std::vector<std::string> c = {RFF_BIN "/rff-fuzz", "-o",         folder_ + "/" + out,
                                  "--quiet",           "--minimize", minimize_runs};
    c.insert(c.end(), options.begin(), options.end());
    c.insert(c.end(), {"--", RFF_SUBJECTS "/" + subject});
    return test::start(c).wait(300);
  }
  nlohmann::json stats(const std::string& out = "out") {
    return nlohmann::json::parse(read_file(folder_ + "/" + out + "/stats.json").value_or("{}"),
                                 nullptr, false);
  }
  // Checks that the finding's own file reproduces the failure in a fresh process.
  void expect_replays(const nlohmann::json& finding) {
    std::string file = folder_ + "/out/" + std::string(finding["folder"]) + "/schedule.bin";
    Outcome o = test::start({RFF_BIN "/rff-replay", "--quick", file}).wait(120);
    EXPECT_EQ(o.status, 1) << o.out << o.err;
  }

  std::string folder_;
};

TEST_F(SubjectTest, TwoBugsBehindOneWrapperAreTwoFindings) {
  Outcome o = fuzz("behind_one_wrapper", {"--seed", "1", "-n", "400"});
  ASSERT_EQ(o.status, 1) << o.out << o.err;
  nlohmann::json s = stats();
  ASSERT_EQ(s["findings"].size(), 2u) << s["findings"].dump(2);
  EXPECT_GT(s["findings"][0]["count"], 1) << "both are met often";
  EXPECT_GT(s["findings"][1]["count"], 1);
  EXPECT_EQ(s["unstable"], 0);
}

// Twenty schedules are audited while others run, and a second instance runs in parallel.
TEST_F(SubjectTest, RunsThatUseTheSameFilesTakeTurns) {
  fs::current_path(folder_);
  Outcome o = fuzz("uses_files", {"--seed", "1", "-n", "300", "-j", "2"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_GE(stats()["audited"], 20);
  EXPECT_EQ(stats()["unstable"], 0) << o.out << o.err;
}

TEST_F(SubjectTest, FilesThatARunLeavesDoNotDisturbTheNext) {
  fs::current_path(folder_);
  std::vector<std::string> words = {RFF_BIN "/rff-fuzz", "-o", folder_ + "/out", "--seed", "1"};
  words.insert(words.end(), {"-n", "100", "--", RFF_SUBJECTS "/uses_files", "carelessly"});
  Outcome o = test::start(words).wait(120);
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  nlohmann::json s = stats();
  ASSERT_EQ(s["findings"].size(), 1u) << o.out << o.err;
  EXPECT_EQ(s["unstable"], 0) << o.out << o.err;
  expect_replays(s["findings"][0]);
}

TEST_F(SubjectTest, ThreadsThatWorkUntilOneHasSleptComeToAnEnd) {
  Outcome o = fuzz("works_until_slept", {"-n", "30"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_EQ(stats()["schedules"], 30);
  EXPECT_EQ(stats()["unresponsive"], 0);
  EXPECT_EQ(stats()["unstable"], 0);
  std::vector<std::string> words = {RFF_BIN "/rff-fuzz", "-o", folder_ + "/out", "--force"};
  words.insert(words.end(), {"--until-bug", "--", RFF_SUBJECTS "/works_until_slept", "carelessly"});
  o = test::start(words).wait(120);
  ASSERT_EQ(o.status, 1) << o.out << o.err;
  expect_replays(stats()["findings"][0]);
}

TEST_F(SubjectTest, NoScheduleThatEndsIsNoResult) {
  Outcome o = fuzz("computes", {"--no-plain-run", "-n", "2", "--schedule-timeout", "1000"});
  EXPECT_EQ(o.status, 3) << o.out << o.err;
  EXPECT_NE(o.err.find(
                "rff-fuzz: no schedule ended within 1000 ms (most were in sweep): try a "
                "smaller input, a longer --schedule-timeout, or --timeouts 1s if threads run until "
                "another has slept\n"),
            std::string::npos)
      << o.err;
  EXPECT_EQ(o.out.find("no bug found"), std::string::npos) << o.out;
}

TEST_F(SubjectTest, TheTimeLimitComesFromThePlainRun) {
  std::vector<std::string> words = {RFF_BIN "/rff-fuzz", "-o", folder_ + "/out", "-n", "2"};
  words.insert(words.end(), {"--", RFF_SUBJECTS "/computes", "once"});
  Outcome o = test::start(words).wait(120);
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  nlohmann::json s = stats();
  double plain = s["plain_seconds"];
  EXPECT_GE(plain, 0.6);
  EXPECT_NEAR(s["schedule_timeout_ms"], plain * 20'000, 20);
  EXPECT_GT(s["seconds_running"], 0.0);
  EXPECT_NE(o.out.find("one schedule takes "), std::string::npos) << o.out;
}

struct Buggy {
  const char* subject;
  const char* kind;
  int budget;  // in schedules; several times the number needed
};
void PrintTo(const Buggy& b, std::ostream* out) { *out << b.subject; }

class BuggyProgram : public SubjectTest, public testing::WithParamInterface<Buggy> {};

TEST_P(BuggyProgram, IsFoundFiledAndReplayed) {
  const Buggy& b = GetParam();
  Outcome o = fuzz(b.subject, {"--until-bug", "--seed", "1", "-n", std::to_string(b.budget)});
  ASSERT_EQ(o.status, 1) << o.out << o.err;
  nlohmann::json s = stats();
  ASSERT_EQ(s["findings"].size(), 1u);
  EXPECT_EQ(s["findings"][0]["kind"], b.kind);
  EXPECT_EQ(s["findings"][0]["first_schedule"], s["schedules"]);
  EXPECT_EQ(s["unstable"], 0);
  expect_replays(s["findings"][0]);
}

INSTANTIATE_TEST_SUITE_P(Subjects, BuggyProgram,
                         testing::Values(Buggy{"reorder_3", "assert", 40},     // plain variables
                                         Buggy{"reorder_100", "assert", 40},   // many threads
                                         Buggy{"twostage_20", "assert", 100},  // two locks
                                         Buggy{"lazy01", "assert", 60},        // locks, order
                                         Buggy{"token_ring", "assert", 100},   // locks, order
                                         Buggy{"account", "assert", 60},       // atomicity
                                         Buggy{"bluetooth_driver", "assert", 200},  // flags
                                         Buggy{"circular_buffer", "assert", 60},  // plain variables
                                         Buggy{"stack", "assert", 200},           // locks and flags
                                         Buggy{"wronglock_1", "assert", 100},     // the wrong lock
                                         Buggy{"work_steal_queue", "assert", 200},  // atomics
                                         Buggy{"carter01", "deadlock", 60},         // semaphore
                                         Buggy{"deadlock01", "deadlock", 100},      // two mutexes
                                         Buggy{"phase_1", "deadlock", 200},  // condition variables
                                         Buggy{"buffer_if", "deadlock",
                                               200},  // condition variables
                                         Buggy{"cve_2009_3547", "crash", 100},  // null pointer
                                         Buggy{"cve_2011_2183", "crash", 100},  // use after free
                                         Buggy{"openmp_racy", "assert", 20},    // a library's waits
                                         Buggy{"stringbuffer", "assert", 300}),  // C++
                         [](const auto& instance) { return std::string(instance.param.subject); });

struct Correct {
  const char* subject;
  int combinations;  // the fewest different reads-from combinations: a search that explores nothing
                     // must not pass
};
void PrintTo(const Correct& c, std::ostream* out) { *out << c.subject; }

class CorrectProgram : public SubjectTest, public testing::WithParamInterface<Correct> {};

TEST_P(CorrectProgram, StaysWithoutAFindingWhileItIsExplored) {
  // Emulated hosts run some tens per second. RFF_TEST_SCHEDULES asks for more.
  const char* wanted = std::getenv("RFF_TEST_SCHEDULES");
  Outcome o = fuzz(GetParam().subject, {"--seed", "1", "-n", wanted != nullptr ? wanted : "300"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_GE(stats()["rf_combinations"], GetParam().combinations);
  EXPECT_EQ(stats()["unstable"], 0);
  EXPECT_EQ(stats()["lost"], 0);
}

INSTANTIATE_TEST_SUITE_P(Subjects, CorrectProgram,
                         testing::Values(Correct{"reorder_locked", 3}, Correct{"bank_transfer", 10},
                                         Correct{"bounded_buffer_right", 10},
                                         Correct{"readers_writers", 10}),
                         [](const auto& instance) { return std::string(instance.param.subject); });

class CorrectProgramForLong : public SubjectTest, public testing::WithParamInterface<Correct> {};

// Runs the same search on one fork server, without the other costs of a campaign.
TEST_P(CorrectProgramForLong, StaysWithoutAFindingForThousandsOfSchedules) {
  std::string patched = folder_ + "/patched";
  ASSERT_EQ(test::start({RFF_BIN "/rff-instrument", "-o", patched,
                         std::string(RFF_SUBJECTS "/") + GetParam().subject})
                .wait()
                .status,
            0);
  Outcome o = test::start({RFF_TRIALS, "rff", "1", "1", "2000", patched}).wait(900);
  nlohmann::json trial = nlohmann::json::parse(o.out, nullptr, false);
  ASSERT_TRUE(trial.is_object()) << o.out << o.err;
  EXPECT_EQ(trial["found"], false) << o.out;
  EXPECT_EQ(trial["schedules"], 2000);
  EXPECT_GE(trial["rf_combinations"], GetParam().combinations);
}

INSTANTIATE_TEST_SUITE_P(Subjects, CorrectProgramForLong,
                         testing::Values(Correct{"seqlock", 120}, Correct{"tagged_stack", 200},
                                         Correct{"bank_transfer", 80}),
                         [](const auto& instance) { return std::string(instance.param.subject); });

TEST_F(SubjectTest, RepeatsACampaignScheduleBySchedule) {
  auto corpus = [&](const std::string& out) {
    std::map<std::string, std::string> files;
    for (const auto& e : fs::directory_iterator(folder_ + "/" + out + "/corpus")) {
      files[e.path().filename()] = read_file(e.path()).value_or("");
    }
    return files;
  };
  for (const char* out : {"first", "second"})
    fuzz("bluetooth_driver", {"--seed", "9", "-n", "80", "--no-audit"}, out);
  EXPECT_EQ(corpus("first"), corpus("second"));
  for (const char* field :
       {"schedules", "rf_pairs", "rf_combinations", "events_per_schedule", "findings"}) {
    EXPECT_EQ(stats("first")[field], stats("second")[field]) << field;
  }
}

TEST_F(SubjectTest, LeavesAShorterScheduleBesideTheOneThatWasFound) {
  Outcome o = fuzz("stack", {"--until-bug", "--seed", "1", "-n", "200"}, "out", "60");
  ASSERT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_LT(o.out.find("FOUND"), o.out.find("minimized: ")) << o.out;
  fs::path folder = fs::path(folder_) / "out" / std::string(stats()["findings"][0]["folder"]);
  DecodeResult found = decode_schedule(read_file(folder / "schedule.bin").value_or(""));
  DecodeResult shorter = decode_schedule(read_file(folder / "minimized.bin").value_or(""));
  ASSERT_TRUE(found.schedule && shorter.schedule) << found.error << shorter.error;
  EXPECT_EQ(shorter.schedule->finding->kind, found.schedule->finding->kind);
  EXPECT_EQ(shorter.schedule->finding->place, found.schedule->finding->place);
  EXPECT_LE(shorter.schedule->constraints.size(), found.schedule->constraints.size());
  for (const char* file : {"schedule.bin", "minimized.bin"}) {
    Outcome again = test::start({RFF_BIN "/rff-replay", "--runs", "2", folder / file}).wait(120);
    EXPECT_EQ(again.out, "2 of 2 reproduced (2 the same run event by event)\n") << file;
  }
  auto explained = [&](const char* file) {
    return test::start({RFF_BIN "/rff-replay", "--quick", folder / file}).wait(120).out;
  };
  std::string hint = "Note: told is minimized.bin, which fails in the same way with ";
  EXPECT_NE(explained("schedule.bin").find(hint), std::string::npos) << explained("schedule.bin");
  EXPECT_EQ(explained("minimized.bin").find(hint), std::string::npos);
}

TEST_F(SubjectTest, SaysWhoWaitsForWhomByFunctionAndLine) {
  Outcome o = fuzz("deadlock01", {"--until-bug", "--seed", "1", "-n", "200"});
  ASSERT_EQ(o.status, 1) << o.out << o.err;
  std::string announced = o.out.substr(0, o.out.find('\n'));
  EXPECT_TRUE(announced.starts_with("FOUND deadlock at ")) << announced;
  EXPECT_TRUE(announced.ends_with(" ...")) << announced;
  EXPECT_LE(announced.size(), 120u) << announced;
  std::string line = stats()["findings"][0]["summary"];
  for (const char* part : {"thread main.1 waits for a mutex in a_then_b (deadlock01.c:",
                           ", held by thread main.2 since b_then_a (deadlock01.c:",
                           "; thread main waits for thread main.1 to end, in "}) {
    EXPECT_NE(line.find(part), std::string::npos) << part << " is not in: " << line;
  }
  EXPECT_EQ(line.find("+0x"), std::string::npos) << line;
}

TEST_F(SubjectTest, AStatusOtherThanZeroIsAFindingWhereThePlainRunHadZero) {
  const char* program = "status_of_main";
  Outcome o = fuzz(program, {"--until-bug", "--seed", "1", "-n", "30"});
  ASSERT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_TRUE(o.out.starts_with("FOUND exit at main (status_of_main.c:")) << o.out;
  EXPECT_EQ(stats()["plain_status"], 0);
  EXPECT_GT(stats()["plain_seconds"], 0);
  nlohmann::json finding = stats()["findings"][0];
  EXPECT_EQ(finding["kind"], "exit");
  EXPECT_EQ(finding["summary"], "exit status 3");
  expect_replays(finding);

  for (const char* unasked : {"--exit-is-bug=no", "--no-plain-run"}) {
    o = fuzz(program, {unasked, "--force", "--seed", "1", "-n", "30"});
    EXPECT_EQ(o.status, 0) << unasked << o.out << o.err;
  }
  EXPECT_TRUE(stats()["plain_status"].is_null());
  o = fuzz(program, {"--exit-is-bug", "--no-plain-run", "--force", "--seed", "1", "-n", "30"});
  EXPECT_EQ(o.status, 1) << o.out << o.err;
}

// With one argument, the program also fails without the runtime.
TEST_F(SubjectTest, AStatusThatThePlainRunHadTooIsNoFinding) {
  auto fuzz_failing = [&](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {RFF_BIN "/rff-fuzz", "-o", folder_ + "/out", "--seed", "1", "-n", "30"});
    words.insert(words.end(), {"--", RFF_SUBJECTS "/status_of_main", "fail"});
    return test::start(words).wait(300);
  };
  Outcome o = fuzz_failing({"--minimize=0"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_NE(o.out.find("run by itself: exit status 4 in "), std::string::npos) << o.out;
  EXPECT_EQ(stats()["plain_status"], 4);
  EXPECT_EQ(read_file(folder_ + "/out/plain/output.txt"), "told to fail\n");
  EXPECT_EQ(o.out.find("told to fail"), std::string::npos) << o.out;
  o = fuzz_failing({"--exit-is-bug=yes", "--force", "--minimize=0"});
  EXPECT_EQ(o.status, 1) << o.out << o.err;
}

// The program fails when it is run for the first time.
TEST_F(SubjectTest, APlainRunThatHappensToFailIsRepeated) {
  std::string marker = folder_ + "/was_run";
  Outcome o = test::start({RFF_BIN "/rff-fuzz", "-o", folder_ + "/out", "--seed", "1", "-n", "30",
                           "--until-bug", "--minimize=0", "--", RFF_SUBJECTS "/status_of_main",
                           "once", marker})
                  .wait(300);
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_NE(o.out.find("run by itself: exit status 4, and exit status 0 when run again in "),
            std::string::npos)
      << o.out;
  EXPECT_EQ(stats()["plain_status"], 0);
  EXPECT_EQ(stats()["findings"][0]["summary"], "exit status 3");
}

TEST_F(SubjectTest, WhyAProgramCannotBeRunIsSaid) {
  Outcome o = fuzz("looks_sanitized", {"-n", "5"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_EQ(stats()["carrier"], "thread");
  o = fuzz("looks_sanitized", {"--force", "-n", "5", "--carrier", "fiber"});
  EXPECT_EQ(o.status, 3) << o.out << o.err;
  EXPECT_NE(o.err.find("fibers do not work here: the program uses a sanitizer"), std::string::npos)
      << o.err;
}

TEST_F(SubjectTest, TheSurroundingsOfAProgramAreTheSameInEveryRun) {
  Outcome o = fuzz("surroundings", {"--seed", "1", "-n", "3"});
  ASSERT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_EQ(stats()["unstable"], 0) << o.out;
  ASSERT_EQ(stats()["findings"].size(), 1u) << o.out;
  // Reading the program in the meantime changes its access time.
  for (const auto& program : fs::directory_iterator(folder_ + "/out/patched")) {
    const timespec times[2] = {{1'000'000'000, 1}, {0, UTIME_OMIT}};
    ASSERT_EQ(::utimensat(AT_FDCWD, program.path().c_str(), times, 0), 0);
  }
  std::string file =
      folder_ + "/out/" + std::string(stats()["findings"][0]["folder"]) + "/schedule.bin";
  o = test::start({RFF_BIN "/rff-replay", "--quick", file}).wait(120);
  EXPECT_TRUE(o.out.starts_with("REPRODUCED, the same run event by event")) << o.out << o.err;
}

TEST_F(SubjectTest, AProgramThatBeginsAgainReadsItsInputAgain) {
  std::string input = folder_ + "/input";
  ASSERT_EQ(write_file(input, "first\nsecond\n"), 0);
  Outcome o = test::start({RFF_BIN "/rff-fuzz", "-o", folder_ + "/out", "--quiet", "--seed", "1",
                           "-n", "5", "--", RFF_SUBJECTS "/input_before_threads"},
                          input)
                  .wait(300);
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_EQ(stats()["schedules"], 5);
}

TEST_F(SubjectTest, RunsInstancesSideBySide) {
  Outcome o = fuzz("reorder_3", {"-j", "2", "--seed", "1", "-n", "60"});
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_EQ(stats()["schedules"], 60);
  EXPECT_EQ(stats()["unstable"], 0);
}

// Also beside those that the user names.
TEST_F(SubjectTest, PatchesLibrariesThatWaitByThemselves) {
  Outcome o = fuzz("openmp_critical", {"--seed", "1", "-n", "20", "--libs", "libm.so*"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_TRUE(fs::exists(folder_ + "/out/patched/libs/libgomp.so.1"));
  EXPECT_EQ(stats()["unresponsive"], 0);
  EXPECT_EQ(stats()["unstable"], 0);
}

TEST_F(SubjectTest, PatchesWhatTheLibraryDoesToListsOfTheProgram) {
  Outcome o = fuzz("least_recently_used", {"--seed", "1", "-n", "40", "--until-bug"});
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_TRUE(fs::exists(folder_ + "/out/patched/libs/libstdc++.so.6"));
  o = fuzz("least_recently_used", {"--seed", "1", "-n", "40", "--libs", "none"}, "unseen");
  EXPECT_EQ(o.status, 0) << o.out << o.err;
}

TEST_F(SubjectTest, RunsProgramsWithTheOpenMPOfClang) {
  if (!fs::exists(RFF_SUBJECTS "/openmp_clang_racy")) {
    GTEST_SKIP() << "there is no clang with OpenMP";
  }
  Outcome o = fuzz("openmp_clang_critical", {"--seed", "1", "-n", "40"}, "critical");
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_EQ(stats("critical")["schedules"], 40);
  EXPECT_EQ(stats("critical")["unstable"], 0);
  o = fuzz("openmp_clang_racy", {"--until-bug", "--seed", "1", "-n", "40"});
  ASSERT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_EQ(stats()["findings"][0]["kind"], "assert");
  expect_replays(stats()["findings"][0]);
}

TEST_F(SubjectTest, TheOtherSchedulersRunToo) {
  for (const char* scheduler :
       {"pos", "bpos", "pct:depth=3", "random", "urw", "surw", "surw:set=locks", "surw:set=site",
        "ql", "ql-rf", "delay:bound=2", "period:depth=3", "rff:only=turns", "rff:feedback=off"}) {
    Outcome o = fuzz("account", {"--scheduler", scheduler, "--seed", "1", "-n", "30"}, scheduler);
    EXPECT_LE(o.status, 1) << o.out << o.err;
    EXPECT_EQ(stats(scheduler)["schedules"], 30);
    EXPECT_EQ(stats(scheduler)["scheduler"], scheduler);
    std::string name(scheduler, std::strcspn(scheduler, ":"));
    bool estimates = name == "urw" || name == "surw" || name == "period";
    EXPECT_EQ(stats(scheduler)["profile_schedules"], estimates ? 1 : 0) << scheduler;
    EXPECT_EQ(stats(scheduler)["unstable"], 0);
  }
}

TEST_F(SubjectTest, TheSystematicSearchEndsWithAVerdict) {
  Outcome o = fuzz("bluetooth_driver", {"--scheduler", "systematic", "--seed", "1"});
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_NE(o.out.find("complete: all 9 trace classes (9 by reads-from) explored, 2 fail\n"),
            std::string::npos)
      << o.out;
  EXPECT_EQ(stats()["systematic"]["verdict"], "complete");
  EXPECT_EQ(stats()["systematic"]["classes"], 9);
  expect_replays(stats()["findings"][0]);
  o = fuzz("dining_ordered", {"--scheduler", "systematic", "--require-complete"}, "correct");
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_EQ(stats("correct")["systematic"]["verdict"], "complete");
  o = fuzz("reorder_3", {"--scheduler", "systematic", "--preemptions", "0..1"}, "bounded");
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_EQ(stats("bounded")["systematic"]["verdict"], "bound reached");
  EXPECT_EQ(stats("bounded")["systematic"]["steps"][0]["classes"], 24);
  o = fuzz("reorder_3", {"--scheduler", "systematic", "--seed", "1", "-n", "5"}, "stopped");
  EXPECT_EQ(stats("stopped")["systematic"]["verdict"], "stopped");
  // Its library is not patched, so what it does is not seen.
  o = fuzz("work_queue_right", {"--scheduler", "systematic", "-n", "100", "--require-complete"},
           "unseen");
  EXPECT_EQ(o.status, 3) << o.out << o.err;
  EXPECT_NE(stats("unseen")["systematic"]["verdict"], "complete");
}

}  // namespace
}  // namespace rff
