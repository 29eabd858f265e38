// Tests rff-replay: the same failure every time, from the file alone.
#include <fstream>
#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "schedule/shared_memory.h"
#include "tests/fuzzer/command.h"
#include "tests/replay/make_finding.h"
#include "tests/replay/replay_fixture.h"

namespace rff::test {
namespace {

namespace fs = std::filesystem;

class EverySubject : public ReplayTest, public testing::WithParamInterface<const char*> {};

TEST_P(EverySubject, ReplaysTheSameRunTwentyTimes) {
  Output o = replay({"--runs", "20", finding(GetParam())});
  EXPECT_EQ(o.exit_status, 1) << o.err;
  EXPECT_EQ(o.out, "20 of 20 reproduced (20 the same run event by event)\n");
}

INSTANTIATE_TEST_SUITE_P(Subjects, EverySubject,
                         testing::Values("subjects/account", "subjects/circular_buffer",
                                         "subjects/deadlock01", "subjects/cve_2016_9806",
                                         "subjects/stringbuffer", "subjects/buffer_if"));

TEST_F(ReplayTest, DoesNotDependOnTheEnvironmentOrTheFolderItRunsIn) {
  std::string schedule = finding("subjects/stringbuffer");
  ::setenv("A_VARIABLE_OF_ANOTHER_SHELL", std::string(3000, 'x').c_str(), 1);
  fs::path before = fs::current_path();
  fs::current_path("/");
  Output o = replay({"--runs", "2", schedule});
  fs::current_path(before);
  EXPECT_EQ(o.out, "2 of 2 reproduced (2 the same run event by event)\n");
}

// The trace, on which the story is based, needs a descriptor that the program does not.
TEST_F(ReplayTest, TellsTheStoryWithFewDescriptors) {
  std::string schedule = finding("subjects/account");
  auto with_limit = [&](const char* limit) {
    return run_command(
        {"sh", "-c", "ulimit -n $0; exec \"$@\"", limit, tool("rff-replay"), "--quick", schedule});
  };
  std::string story = replay({"--quick", schedule}).out;
  EXPECT_NE(story.find("Where the threads are:"), std::string::npos) << story;
  for (const char* limit : {"512", "256", "64", "32"}) {
    Output o = with_limit(limit);
    EXPECT_EQ(o.exit_status, 1) << limit << ": " << o.err;
    EXPECT_EQ(o.out, story) << limit;
  }
}

TEST_F(ReplayTest, FindsTheProgramBesideTheScheduleAfterACopy) {
  std::string schedule = finding("subjects/deadlock01");
  fs::create_directories(path("elsewhere"));
  fs::rename(schedule, path("elsewhere/schedule.bin"));
  fs::rename(path("deadlock01.patched"), path("elsewhere/deadlock01.patched"));
  Output o = replay({"--quick", path("elsewhere/schedule.bin")});
  EXPECT_EQ(o.exit_status, 1) << o.err;
  EXPECT_NE(o.out.find("REPRODUCED, the same run event by event"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("the program is now"), std::string::npos) << o.out;
}

TEST_F(ReplayTest, FindsTheProgramOfACampaignThatWasMoved) {
  std::string schedule = finding("subjects/deadlock01");
  fs::create_directories(path("moved/findings/001-deadlock"));
  fs::create_directories(path("moved/patched"));
  fs::rename(schedule, path("moved/findings/001-deadlock/schedule.bin"));
  fs::rename(path("deadlock01.patched"), path("moved/patched/deadlock01.patched"));
  EXPECT_EQ(replay({"--quick", path("moved/findings/001-deadlock")}).exit_status, 1);
}

TEST_F(ReplayTest, AProgramThatDoesNotFailEndsWithStatusZero) {
  Schedule s;
  s.scheduler = SchedulerKind::kRandom;
  s.target.path = patched("subjects/bank_transfer");
  write("schedule.bin", encode_schedule(s));
  Output o = replay({path("schedule.bin")});
  EXPECT_EQ(o.exit_status, 0) << o.out << o.err;
  EXPECT_NE(o.out.find("NOTHING FOUND"), std::string::npos);
}

TEST_F(ReplayTest, AScheduleOfAnotherRunDivergesAndSaysWhere) {
  std::string path_of_schedule = finding("subjects/circular_buffer");
  Schedule s = *decode_schedule(*read_file(path_of_schedule)).schedule;
  for (Decision& d : s.finding->decisions) {
    d.check = static_cast<std::uint16_t>(d.check.bits() ^ 0x1234);
  }
  s.finding->kind = FindingKind::kDeadlock;
  write("schedule.bin", encode_schedule(s));
  Output o = replay({"--quick", path("schedule.bin")});
  EXPECT_EQ(o.exit_status, 3);
  EXPECT_NE(o.out.find("First divergence: decision 1 of "), std::string::npos) << o.out;
}

TEST_F(ReplayTest, DoesNotDependOnWhatThreadsRunOn) {
  // The program's threads allocate memory, and addresses are values.
  ::setenv(kCarrierVariable, "thread", 1);
  std::string schedule = finding("test-programs/fail/malloc/allocated_twice");
  ::unsetenv(kCarrierVariable);
  for (const char* carrier : {"fiber", "thread"}) {
    EXPECT_EQ(replay({"--runs", "2", "--carrier", carrier, schedule}).out,
              "2 of 2 reproduced (2 the same run event by event)\n")
        << carrier;
  }
}

TEST_F(ReplayTest, SaysThatTheInputHasChanged) {
  Schedule s = *decode_schedule(*read_file(finding("subjects/deadlock01"))).schedule;
  write("input", "one");
  s.target.standard_input = path("input");
  s.target.input_digest = 1;
  write("schedule.bin", encode_schedule(s));
  Output o = replay({"--quick", path("schedule.bin")});
  EXPECT_EQ(o.exit_status, 1) << o.err;  // the program does not read the input
  EXPECT_NE(o.out.find("Note: the input (standard input or files named by arguments) has changed"),
            std::string::npos)
      << o.out;
}

TEST_F(ReplayTest, PrefersTheRecordedBuildBesideTheScheduleToANewerOneInItsOldPlace) {
  std::string schedule = finding("subjects/deadlock01");
  fs::create_directories(path("copy"));
  fs::copy(schedule, path("copy/schedule.bin"));
  fs::copy(path("deadlock01.patched"), path("copy/deadlock01.patched"));
  fs::rename(patched("subjects/account"), path("deadlock01.patched"));
  Output o = replay({"--quick", path("copy/schedule.bin")});
  EXPECT_EQ(o.exit_status, 1) << o.out << o.err;
  EXPECT_NE(o.out.find("is another build by now"), std::string::npos) << o.out;
}

TEST_F(ReplayTest, ARunThatDoesNotEndIsCutOff) {
  write("counts.c", R"(
      #include <pthread.h>
      #include <stddef.h>
      static void* count(void* unused) { for (volatile int i = 0;;) i++; return unused; }
      int main(void) { pthread_t t; pthread_create(&t, NULL, count, NULL); count(NULL); })");
  ASSERT_EQ(run_command({RFF_CC, "-o", path("counts"), path("counts.c")}).exit_status, 0);
  Schedule s;
  s.target.path = patched(path("counts"));
  write("schedule.bin", encode_schedule(s));
  Output o = replay({"--timeout", "2", path("schedule.bin")});
  EXPECT_EQ(o.exit_status, 3) << o.out << o.err;
  EXPECT_NE(o.out.find("DID NOT END"), std::string::npos) << o.out;
}

TEST_F(ReplayTest, AProgramIsNotAskedForRustsBacktraces) {
  write("asked.c", R"(
      #include <pthread.h>
      #include <stdlib.h>
      static void* nothing(void* unused) { return unused; }
      int main(void) {
        pthread_t t;
        pthread_create(&t, NULL, nothing, NULL);
        pthread_join(t, NULL);
        return getenv("RUST_BACKTRACE") != NULL || getenv("OTHER") == NULL;
      })");
  ASSERT_EQ(run_command({RFF_CC, "-o", path("asked"), path("asked.c")}).exit_status, 0);
  Schedule s;
  s.target.path = patched(path("asked"));
  s.exit_is_finding = true;
  write("schedule.bin", encode_schedule(s));
  setenv("RUST_BACKTRACE", "full", 1);
  setenv("OTHER", "1", 1);
  Output o = replay({path("schedule.bin")});
  unsetenv("RUST_BACKTRACE");
  unsetenv("OTHER");
  EXPECT_EQ(o.exit_status, 0) << o.out << o.err;
}

TEST_F(ReplayTest, RefusesWhatIsNoSchedule) {
  std::string good = *read_file(finding("subjects/deadlock01"));
  expect_refused(replay({path("missing.bin")}), "cannot read");
  write("bad.bin", "");
  expect_refused(replay({path("bad.bin")}), "bad.bin");
  write("bad.bin", good.substr(0, good.size() / 2));
  expect_refused(replay({path("bad.bin")}), "bad.bin");
  std::string corrupted = good;
  corrupted[good.size() - 5] ^= 0x40;
  write("bad.bin", corrupted);
  expect_refused(replay({path("bad.bin")}), "bad.bin");
  std::string newer = good;
  newer[8] = 77;
  write("bad.bin", newer);
  expect_refused(replay({path("bad.bin")}), "version");
  write("bad.bin", "#!/bin/sh\necho no schedule, but long enough to be one\n");
  expect_refused(replay({path("bad.bin")}), "bad.bin");
}

TEST_F(ReplayTest, PatchesAProgramThatIsNotPatched) {
  std::string schedule = finding("subjects/deadlock01");
  Output o = replay({"--quick", schedule, (build_folder() / "subjects/deadlock01").string()});
  EXPECT_EQ(o.exit_status, 1) << o.out << o.err;
  EXPECT_NE(o.out.find("was not patched: patched for this replay"), std::string::npos) << o.out;
}

TEST_F(ReplayTest, TheFolderOfACampaignStandsForItsOnlyFindingOrListsThem) {
  std::string schedule = finding("subjects/deadlock01");
  fs::create_directories(path("out/findings/001-deadlock"));
  expect_refused(replay({path("out")}), "no findings");
  fs::copy(schedule, path("out/findings/001-deadlock/schedule.bin"));
  EXPECT_EQ(replay({"--quick", path("out")}).exit_status, 1);
  fs::create_directories(path("out/findings/002-deadlock"));
  fs::copy(schedule, path("out/findings/002-deadlock/schedule.bin"));
  Output o = replay({path("out")});
  EXPECT_EQ(o.exit_status, 0) << o.out << o.err;
  for (const char* folder : {"findings/001-deadlock\n  deadlock: ", "findings/002-deadlock\n"}) {
    EXPECT_NE(o.out.find(folder), std::string::npos) << o.out;
  }
}

TEST_F(ReplayTest, RefusesProgramsItCannotRun) {
  std::string schedule = finding("subjects/deadlock01");
  expect_refused(replay({schedule, "--", path("missing")}), "no such program");
  expect_refused(replay({schedule, "--", schedule}), "not an ELF program");
  Schedule s = *decode_schedule(*read_file(schedule)).schedule;
  s.target.libraries = {path("patched/libs/libmissing.so.1")};
  write("library.bin", encode_schedule(s));
  expect_refused(replay({path("library.bin")}), "libmissing.so.1 is gone");
  s.target.libraries.clear();
  s.target.standard_input = path("no-input");
  write("input.bin", encode_schedule(s));
  expect_refused(replay({path("input.bin")}), "no-input is gone");
  fs::remove(path("deadlock01.patched"));
  expect_refused(replay({schedule}), "is gone");
}

// The first status line comes after two seconds: by then some runs have ended.
TEST_F(ReplayTest, AnInterruptEndsTheRunsAndSaysHowManyThereWere) {
  Running r = start({tool("rff-replay"), "--runs", "1000000", finding("subjects/deadlock01")});
  std::string said;
  char c;
  while (said.find('\n') == std::string::npos && ::read(r.err, &c, 1) == 1) {
    said += c;
  }
  EXPECT_NE(said.find(" of 1000000, "), std::string::npos) << said;
  ::kill(r.pid, SIGINT);
  Outcome o = r.wait();
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_NE(o.out.find("the same run event by event), interrupted before the other 9"),
            std::string::npos)
      << o.out;
}

TEST_F(ReplayTest, AnOutputThatCannotBeWrittenIsSaidAndLeavesNothing) {
  std::string schedule = finding("subjects/deadlock01");
  expect_refused(replay({"--quick", "--html", path("nowhere/page.html"), schedule}),
                 "cannot write");
  expect_refused(replay({"--quick", "--html", path(""), schedule}), "cannot write");
  expect_refused(
      replay({"--minimize", "--max-runs", "1", "-o", path("nowhere/small.bin"), schedule}),
      "cannot write");
  Output o = run_command(
      {"/bin/sh", "-c", "'" + tool("rff-replay") + "' --quick '" + schedule + "' > /dev/full"});
  EXPECT_EQ(o.exit_status, 3);
  EXPECT_NE(o.err.find("cannot write to standard output: No space left"), std::string::npos)
      << o.err;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_FALSE(entry.path().string().ends_with(".part")) << entry.path();
  }
}

TEST_F(ReplayTest, RefusesBadOptions) {
  expect_refused(replay({}), "SCHEDULE");
  expect_refused(replay({"--minimize", "x.bin"}), "-o OUT.bin");
  expect_refused(replay({"--carrier", "horse", "x.bin"}), "horse");
}

TEST_F(ReplayTest, ShowPrintsTheScheduleWithoutRunningTheProgram) {
  std::string schedule = finding("subjects/deadlock01");
  fs::remove(path("deadlock01.patched"));
  Output text = replay({"--show", schedule});
  EXPECT_EQ(text.exit_status, 0);
  EXPECT_NE(text.out.find("finding:     deadlock"), std::string::npos) << text.out;
  Output json = replay({"--show", "--json", schedule});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("scheduler"), "pos");
}

}  // namespace
}  // namespace rff::test
