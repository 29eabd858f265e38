// Tests what the user is promised of a campaign that goes well: -n, --seed, -i -, Ctrl-C, the
// output and the files on disk.
#include <set>

#include "tests/fuzzer/campaign_fixture.h"

namespace rff {
namespace {

TEST_F(Campaign, RunsExactlyAsManySchedulesAsAsked) {
  fuzz({"-n", "57", "--seed", "1"});
  EXPECT_EQ(stats()["schedules"], 57);
}

TEST_F(Campaign, CountsSchedulesOverAllInstances) {
  Outcome o = fuzz({"-n", "90", "-j", "2", "--seed", "1"});
  EXPECT_EQ(stats()["schedules"], 90) << o.out << o.err;
  EXPECT_EQ(o.err, "");
}

TEST_F(Campaign, RepeatsFromItsSeed) {
  fuzz({"-n", "60", "--seed", "3"});
  nlohmann::json first = stats();
  auto first_corpus = corpus();
  fuzz({"-n", "60", "--seed", "3", "--force"});
  EXPECT_EQ(corpus(), first_corpus);
  EXPECT_EQ(stats()["findings"], first["findings"]);
  EXPECT_EQ(stats()["rf_combinations"], first["rf_combinations"]);
}

TEST_F(Campaign, FilesOneBugInOneFolderWithACount) {
  Outcome o = fuzz({"-n", "200", "--seed", "1"});
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  ASSERT_EQ(stats()["findings"].size(), 1u);
  nlohmann::json finding = stats()["findings"][0];
  EXPECT_EQ(finding["kind"], "assert");
  EXPECT_GT(finding["count"], 1);
  EXPECT_NE(o.out.find("FOUND assert"), std::string::npos);
  EXPECT_NE(o.out.find("rff-replay"), std::string::npos);

  fs::path folder = output() / std::string(finding["folder"]);
  DecodeResult decoded = decode_schedule(read_file(folder / "schedule.bin").value_or(""));
  ASSERT_TRUE(decoded.schedule) << decoded.error;
  EXPECT_TRUE(decoded.schedule->points.listed);
  EXPECT_EQ(decoded.schedule->target.path, RFF_STAGE "/prog.patched");
  ASSERT_TRUE(decoded.schedule->finding);
  EXPECT_FALSE(decoded.schedule->finding->decisions.empty());
  EXPECT_TRUE(fs::exists(folder / "report.txt"));
  EXPECT_EQ(nlohmann::json::parse(*read_file(folder / "report.json"))["finding"]["kind"], "assert");
}

TEST_F(Campaign, StopsAtTheFirstBugIfToldTo) {
  EXPECT_EQ(fuzz({"--until-bug", "--seed", "1"}).status, 1);
  EXPECT_EQ(stats()["schedules"], stats()["findings"][0]["first_schedule"]);
}

TEST_F(Campaign, FindsWhatFailsAtOnce) {
  Outcome o = fuzz({"--until-bug", "--seed", "1"}, "crash");
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_EQ(stats()["findings"][0]["first_schedule"], 1);
}

TEST_F(Campaign, AuditsTheFirstSchedules) {
  fuzz({"-n", "30", "--seed", "1"});
  EXPECT_EQ(stats()["audited"], 20);
  EXPECT_EQ(stats()["unstable"], 0);
}

TEST_F(Campaign, EndsWellOnCtrlC) {
  Running running = test::start(command({"--seed", "1"}, "slow"));
  bool sent = false;
  Outcome o = running.wait(120, [&](const std::string& out) {
    if (!sent && out.find("FOUND") != std::string::npos) {
      sent = true;
      ::kill(running.pid, SIGINT);
    }
  });
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_GE(stats()["schedules"], 1);
  EXPECT_EQ(stats()["findings"].size(), 1u);
  EXPECT_FALSE(fs::exists(output() / "inbox"));
}

// Returns what a terminal with this number of columns receives.
std::string on_terminal(int columns, const std::vector<std::string>& command) {
  std::string line = "stty rows 40 cols " + std::to_string(columns) + "; exec";
  for (const std::string& word : command) line += " '" + word + "'";
  return test::start({"/usr/bin/script", "-qec", line, "/dev/null"}).wait().out;
}

TEST_F(Campaign, HasOneLiveLineOnATerminalThatDoesNotWrapRound) {
  std::string out = on_terminal(50, command({"-n", "12", "--seed", "1"}, "slow"));
  constexpr std::string_view kLine = "\r\x1b[Kschedules ";
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = out.find(kLine, at)) != std::string::npos; ++lines) {
    at += kLine.find('s');
    EXPECT_LT(out.find_first_of("\r\n", at) - at, 50u) << out;
  }
  EXPECT_GE(lines, 2u) << out;
}

TEST_F(Campaign, ShowsTheScreenOfAflAndWhatItHidAfterwards) {
  std::string out = on_terminal(100, command({"-n", "60", "--seed", "1", "--afl-ui"}));
  std::size_t screen = out.rfind("overall results");
  ASSERT_NE(screen, std::string::npos) << out;
  EXPECT_NE(out.find("replay: ", screen), std::string::npos) << out;
}

TEST_F(Campaign, PrintsItsStatisticsAsJsonAndAllElseOnStandardError) {
  Outcome o = fuzz({"-n", "5", "--seed", "1", "--json"}, "crash");
  EXPECT_EQ(o.status, 1) << o.err;
  nlohmann::json printed = nlohmann::json::parse(o.out, nullptr, false);
  ASSERT_TRUE(printed.is_object()) << o.out;
  EXPECT_EQ(printed, stats());
  EXPECT_NE(o.err.find("FOUND assert"), std::string::npos) << o.err;
}

TEST_F(Campaign, HasAFolderForEachProgramIfToldTo) {
  for (const char* behavior : {"crash", "slow"}) {
    std::vector<std::string> words = command({"-n", "2", "-o", "auto"}, behavior);
    EXPECT_LE(test::start(words, "/dev/null", folder_).wait().status, 1);
  }
  int folders = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(folder_) / "rff-out")) {
    folders += fs::exists(entry.path() / "stats.json") ? 1 : 0;
  }
  EXPECT_EQ(folders, 2);
}

TEST_F(Campaign, KeepsATreeThatAflWhatsupReads) {
  fuzz({"-n", "10", "-j", "2", "--seed", "1"});
  Outcome o =
      test::start({"/bin/sh", "-c", "afl-whatsup -s -d " + output().string() + "/afl"}).wait();
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("Dead or remote : 2 (included in stats)"), std::string::npos) << o.out;
}

TEST_F(Campaign, ResumesWhereItStopped) {
  fuzz({"-n", "100", "--seed", "1"});
  ASSERT_EQ(stats()["findings"].size(), 1u);
  int count = stats()["findings"][0]["count"];
  Outcome o = fuzz({"-n", "100", "-i", "-"});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_EQ(stats()["schedules"], 200);
  ASSERT_EQ(stats()["findings"].size(), 1u);  // the same bug still has only one folder
  EXPECT_GE(stats()["findings"][0]["count"], count);
}

TEST_F(Campaign, SchedulesThatItResumesWithAreNotKeptTwice) {
  fuzz({"-n", "100", "--seed", "1"});
  std::size_t first = corpus().size();
  fuzz({"-n", "100", "-i", "-"});
  fuzz({"-n", "100", "-i", "-"});
  std::set<std::string> different;
  for (const auto& [name, bytes] : corpus()) different.insert(bytes);
  EXPECT_GE(different.size(), first);
  EXPECT_EQ(different.size(), corpus().size());
}

TEST_F(Campaign, HelpsAndTellsItsVersion) {
  Outcome help = test::start({RFF_STAGE "/bin/rff-fuzz", "--help"}).wait();
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("[--] PROG [ARGS...]"), std::string::npos);
  EXPECT_NE(help.out.find("Examples"), std::string::npos);
  EXPECT_EQ(test::start({RFF_STAGE "/bin/rff-fuzz", "--version"}).wait().status, 0);
}

}  // namespace
}  // namespace rff
