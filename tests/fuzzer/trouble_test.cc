// Tests that every problem of a campaign ends cleanly, with one line that says what happened.
#include <sys/mount.h>

#include <sstream>

#include "tests/fuzzer/campaign_fixture.h"

namespace rff {
namespace {

TEST_F(Campaign, AnnouncesNothingThatDoesNotRepeatAndIsNotGreen) {
  Outcome o = fuzz({"-n", "100", "--seed", "1"}, "flaky");
  EXPECT_EQ(o.status, 3) << o.out << o.err;
  EXPECT_EQ(o.out.find("no bug found"), std::string::npos) << o.out;
  EXPECT_NE(o.err.find("did not fail again when repeated: see what differs in"), std::string::npos);
  EXPECT_GT(stats()["unstable"], 0);
  EXPECT_TRUE(stats()["findings"].empty());
  EXPECT_FALSE(fs::is_empty(output() / "unstable"));
  EXPECT_TRUE(fs::is_empty(output() / "findings"));
}

TEST_F(Campaign, SaysOnceThatRunsHadMoreToReportThanTheRecordHolds) {
  Outcome o = fuzz({"-n", "20", "--seed", "1"}, "long");
  EXPECT_EQ(o.status, 1) << o.err;
  for (std::string text : {"some runs had more decisions than the record holds (",
                           "some runs had more reads-from pairs than the record holds ("}) {
    std::size_t at = o.out.find(text);
    EXPECT_NE(at, std::string::npos) << o.out;
    EXPECT_EQ(o.out.find(text, at + 1), std::string::npos) << o.out;
  }
  EXPECT_EQ(stats()["overflowed"], (std::vector<std::string>{"pairs", "decisions"}));

  // Replays would diverge where the recorded decisions end, so the file contains none of them.
  fs::path folder = output() / std::string(stats()["findings"][0]["folder"]);
  DecodeResult decoded = decode_schedule(read_file(folder / "schedule.bin").value_or(""));
  ASSERT_TRUE(decoded.schedule && decoded.schedule->finding) << decoded.error;
  EXPECT_TRUE(decoded.schedule->finding->decisions.empty());
}

TEST_F(Campaign, SaysSoWhenThereAreNoThreads) {
  Outcome o = fuzz({"-n", "100"}, "nothreads");
  EXPECT_EQ(o.status, 2);
  expect_one_line(o.err);
  EXPECT_NE(o.err.find("thread"), std::string::npos);
  EXPECT_EQ(o.out.find("no bug found"), std::string::npos) << o.out;
  EXPECT_EQ(fuzz({"-n", "100", "--skip-status", "77"}, "nothreads").status, 77);
  // The same folder can be used once the command is right.
  EXPECT_LE(fuzz({"-n", "3"}).status, 1);
}

TEST_F(Campaign, SaysSoWhenTheRuntimeDoesNotAnswer) {
  Outcome o = fuzz({"-n", "100"}, "mute");
  EXPECT_EQ(o.status, 3);
  expect_one_line(o.err);
}

TEST_F(Campaign, SaysSoWhenTheForkServerDies) {
  Outcome o = fuzz({"-n", "100", "--scheduler", "pos"}, "die");
  EXPECT_EQ(o.status, 3);
  expect_one_line(o.err);
  EXPECT_EQ(stats()["schedules"], 4 * 4);  // afl-fuzz was restarted three times
  std::size_t said = o.out.find(": started again");
  EXPECT_NE(said, std::string::npos) << o.out;
  EXPECT_EQ(o.out.find("started again", said + 10), std::string::npos) << o.out;
  EXPECT_EQ(o.out.find("no bug found"), std::string::npos) << o.out;
}

TEST_F(Campaign, LostRunsAreExplainedAndManyOfThemAreNoGoodResult) {
  Outcome o = fuzz({"-n", "40", "--seed", "1", "--scheduler", "pos", "--minimize", "0"}, "killed");
  EXPECT_EQ(o.status, 3) << o.out << o.err;
  expect_one_line(o.err);
  EXPECT_NE(o.err.find("4 of 40 runs ended without a report of the runtime"), std::string::npos)
      << o.err;
  std::string cause = "4 times signal 9 (Killed), last seen in ";
  EXPECT_NE(o.err.find(cause), std::string::npos) << o.err;
  EXPECT_NE(o.out.find("4 runs ended without a report of the runtime:\n  " + cause),
            std::string::npos)
      << o.out;
  EXPECT_EQ(o.out.find("no bug found"), std::string::npos) << o.out;
  EXPECT_EQ(o.out.find("cut off"), std::string::npos) << o.out;
  EXPECT_EQ(stats()["lost"], 4);
  EXPECT_EQ(stats()["unresponsive"], 0);
}

TEST_F(Campaign, SaysThatRunsEndedWithAStatusThatIsNoFinding) {
  std::vector<std::string> options = {"-n", "10", "--scheduler", "pos", "--exit-is-bug=no"};
  Outcome o = fuzz(options, "status");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("10 runs ended with a status other than 0"), std::string::npos) << o.out;
  EXPECT_EQ(stats()["bad_exits"], 10);
}

// Counts System V shared memory, which outlives its processes, except for segments that disappear
// when the last process attached to them ends.
int segments_made_by(pid_t process) {
  std::ifstream table("/proc/sysvipc/shm");
  std::string line;
  std::getline(table, line);  // the headings
  int count = 0;
  while (std::getline(table, line)) {
    std::istringstream words(line);
    constexpr long long kWillGo = 1000;  // SHM_DEST adds an octal digit
    long long key, id, permissions, size;
    pid_t maker = 0;
    words >> key >> id >> permissions >> size >> maker;
    count += maker == process && permissions < kWillGo;
  }
  return count;
}

TEST_F(Campaign, FindingsStayWhenTheEngineFails) {
  Outcome o = fuzz({"-n", "100", "--minimize", "0"}, "crash and die");
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  expect_one_line(o.err);
  EXPECT_EQ(stats()["findings"].size(), 1u);
}

TEST_F(Campaign, SurvivesTheDeathOfAflFuzz) {
  Running running = test::start(command({"-n", "20", "--minimize", "0"}, "slow crash"));
  bool killed = false;
  pid_t afl_fuzz = 0;
  int before = 0;
  Outcome o = running.wait(120, [&](const std::string& out) {
    if (!killed && out.find("FOUND") != std::string::npos) {
      killed = true;
      std::string children = "/proc/" + std::to_string(running.pid) + "/task/" +
                             std::to_string(running.pid) + "/children";
      afl_fuzz = std::stoi(read_file(children).value_or("0"));
      before = segments_made_by(afl_fuzz);
      ::kill(afl_fuzz, SIGKILL);
    }
  });
  EXPECT_GT(before, 0);
  EXPECT_EQ(segments_made_by(afl_fuzz), 0);
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.err, "");
  EXPECT_NE(o.out.find("afl-fuzz was killed by signal 9 (Killed): started again"),
            std::string::npos)
      << o.out;
  EXPECT_EQ(stats()["schedules"], 20);
  EXPECT_TRUE(fs::exists(output() / "findings" / "001-assert" / "schedule.bin"));
  EXPECT_EQ(stats()["findings"].size(), 1u);
}

TEST_F(Campaign, ResumesAfterBeingKilled) {
  Running running = test::start(command({"--seed", "1"}, "slow"));
  bool killed = false;
  running.wait(120, [&](const std::string& out) {
    if (!killed && out.find("FOUND") != std::string::npos) {
      killed = true;
      ::kill(running.pid, SIGKILL);
    }
  });
  Outcome o = fuzz({"-n", "5", "-i", "-"}, "slow");
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_EQ(stats()["findings"].size(), 1u);
}

TEST_F(Campaign, RefusesTheFolderOfAnotherCampaign) {
  fuzz({"-n", "3"});
  Outcome o = fuzz({"-n", "3"});
  EXPECT_EQ(o.status, 2);
  expect_one_line(o.err);
  EXPECT_LE(fuzz({"-n", "3", "--force"}).status, 1);
}

TEST_F(Campaign, ResumesOnlyTheSameCommand) {
  fuzz({"-n", "3"}, "slow");
  Outcome o = fuzz({"-n", "3", "-i", "-"}, "crash");
  EXPECT_EQ(o.status, 2);
  expect_one_line(o.err);
  EXPECT_NE(o.err.find("prog.patched slow"), std::string::npos) << o.err;
  EXPECT_EQ(o.out, "");
}

TEST_F(Campaign, RefusesAFolderThatIsNotItsOwn) {
  fs::create_directories(output());
  std::ofstream(output() / "thesis.txt") << "years of work";
  for (const char* option : {"--quiet", "--force"}) {
    Outcome o = fuzz({"-n", "3", option});
    EXPECT_EQ(o.status, 2);
    expect_one_line(o.err);
  }
  EXPECT_TRUE(fs::exists(output() / "thesis.txt"));
}

TEST_F(Campaign, RefusesAFolderInUse) {
  Running running = test::start(command({"--seed", "1"}, "slow"));
  bool tried = false;
  running.wait(120, [&](const std::string& out) {
    if (!tried && out.find("FOUND") != std::string::npos) {
      tried = true;
      Outcome o = fuzz({"-n", "3", "-i", "-"}, "slow");
      EXPECT_EQ(o.status, 2);
      expect_one_line(o.err);
      ::kill(running.pid, SIGINT);
    }
  });
  EXPECT_TRUE(tried);
}

TEST_F(Campaign, LeavesGarbageInTheCorpusOut) {
  fs::path seeds = fs::path(folder_) / "seeds";
  fs::create_directories(seeds);
  std::ofstream(seeds / "noise") << "not a schedule";
  std::ofstream(seeds / "empty");
  ASSERT_EQ(write_file(seeds / "good", encode_schedule(Schedule{})), 0);
  Outcome o = fuzz({"-n", "10", "-i", seeds.string()});
  EXPECT_LE(o.status, 1) << o.err;
  for (const char* file : {"noise", "empty"}) {
    EXPECT_NE(o.out.find(": " + std::string(file) + " (not a schedule)"), std::string::npos)
        << o.out;
  }
  EXPECT_EQ(stats()["schedules"], 10);
}

TEST_F(Campaign, EndsWithAMessageWhenTheDiskIsFull) {
  fs::create_directories(output());
  for (const char* size : {"size=48k", "size=128k"}) {
    if (::mount("none", output().c_str(), "tmpfs", 0, size) != 0)
      GTEST_SKIP() << "cannot mount a small disk here";
    Outcome o = test::start(command({"-n", "2000", "--seed", "1"})).wait();
    ::umount2(output().c_str(), MNT_DETACH);
    EXPECT_EQ(o.status, 3) << size << o.out << o.err;
    expect_one_line(o.err);
    EXPECT_NE(o.err.find("No space left"), std::string::npos) << o.err;
  }
}

TEST_F(Campaign, RefusesWhatItCannotFuzz) {
  fs::path script = fs::path(folder_) / "script";
  std::ofstream(script) << "#!/bin/sh\n";
  std::vector<std::vector<std::string>> bad = {
      {},
      {"--", "/nonexistent"},
      {"--", script.string()},
      {"--", "/tmp"},
      {"--no-such-option", "--", "prog"},
      {"-i", "/nonexistent", "--", RFF_STAGE "/prog.patched"},
      {"--", RFF_STAGE "/prog.patched", "@@"},
      {"-j", "0", "--", RFF_STAGE "/prog.patched"},
      {"--scheduler", "luck", "--", RFF_STAGE "/prog.patched"}};
  for (std::vector<std::string> arguments : bad) {
    arguments.insert(arguments.begin(), RFF_STAGE "/bin/rff-fuzz");
    Outcome o = test::start(arguments, "/dev/null", folder_).wait();
    EXPECT_EQ(o.status, 2) << testing::PrintToString(arguments) << o.out;
    expect_one_line(o.err);
  }
}

}  // namespace
}  // namespace rff
