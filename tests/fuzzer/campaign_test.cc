// The campaign end to end with real afl-fuzz and a pretended runtime (fake_launcher.cc): what the
// user is promised of -n, --seed, -i -, Ctrl-C and of everything that can go wrong.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "schedule/schedule_file.h"
#include "tests/fuzzer/command.h"

namespace rff {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::Running;

bool have_afl_fuzz() { return std::system("command -v afl-fuzz >/dev/null 2>&1") == 0; }

class Campaign : public testing::Test {
 protected:
  void SetUp() override {
    if (!have_afl_fuzz()) GTEST_SKIP() << "afl-fuzz is not on PATH";
    char name[] = "/tmp/rff-campaign-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // `behaviour`: see fake_launcher.cc.
  std::vector<std::string> command(std::vector<std::string> options,
                                   const std::string& behaviour = "") {
    std::vector<std::string> c = {RFF_STAGE "/bin/rff-fuzz"};
    if (std::find(options.begin(), options.end(), "-o") == options.end()) {
      c.insert(c.end(), {"-o", output().string()});
    }
    c.insert(c.end(), options.begin(), options.end());
    c.insert(c.end(), {"--", RFF_STAGE "/prog.patched"});
    if (!behaviour.empty()) c.push_back(behaviour);
    return c;
  }
  Outcome fuzz(const std::vector<std::string>& options, const std::string& behaviour = "") {
    return test::start(command(options, behaviour)).wait();
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
  EXPECT_EQ(nlohmann::json::parse(*read_file(folder / "report.json"))["kind"], "assert");
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

TEST_F(Campaign, AnnouncesNothingThatDoesNotRepeat) {
  Outcome o = fuzz({"-n", "100", "--seed", "1"}, "flaky");
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_GT(stats()["unstable"], 0);
  EXPECT_TRUE(stats()["findings"].empty());
  EXPECT_FALSE(fs::is_empty(output() / "unstable"));
  EXPECT_TRUE(fs::is_empty(output() / "findings"));
}

TEST_F(Campaign, AuditsTheFirstSchedules) {
  fuzz({"-n", "30", "--seed", "1"});
  EXPECT_EQ(stats()["audited"], 20);
  EXPECT_EQ(stats()["unstable"], 0);
}

TEST_F(Campaign, SaysSoWhenThereAreNoThreads) {
  Outcome o = fuzz({"-n", "100"}, "nothreads");
  EXPECT_EQ(o.status, 2);
  expect_one_line(o.err);
  EXPECT_NE(o.err.find("thread"), std::string::npos);
  EXPECT_EQ(o.out, "");
  // The same folder will do once the command is right.
  EXPECT_LE(fuzz({"-n", "3"}).status, 1);
}

TEST_F(Campaign, SaysSoWhenTheRuntimeDoesNotAnswer) {
  Outcome o = fuzz({"-n", "100"}, "mute");
  EXPECT_EQ(o.status, 3);
  expect_one_line(o.err);
}

TEST_F(Campaign, SaysSoWhenTheForkServerDies) {
  Outcome o = fuzz({"-n", "100"}, "die");
  EXPECT_EQ(o.status, 3);
  expect_one_line(o.err);
  EXPECT_EQ(stats()["schedules"], 4);
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

TEST_F(Campaign, SurvivesTheDeathOfAflFuzz) {
  Running running = test::start(command({"--seed", "1"}, "slow"));
  bool killed = false;
  Outcome o = running.wait(120, [&](const std::string& out) {
    if (!killed && out.find("FOUND") != std::string::npos) {
      killed = true;
      std::string children = "/proc/" + std::to_string(running.pid) + "/task/" +
                             std::to_string(running.pid) + "/children";
      ::kill(std::stoi(read_file(children).value_or("0")), SIGKILL);
    }
  });
  EXPECT_EQ(o.status, 3);
  expect_one_line(o.err);
  EXPECT_NE(o.err.find("killed"), std::string::npos) << o.err;
  EXPECT_TRUE(fs::exists(output() / "findings" / "001-assert" / "schedule.bin"));
  EXPECT_EQ(stats()["findings"].size(), 1u);
}

TEST_F(Campaign, ResumesWhereItStopped) {
  fuzz({"-n", "100", "--seed", "1"});
  ASSERT_EQ(stats()["findings"].size(), 1u);
  int count = stats()["findings"][0]["count"];
  Outcome o = fuzz({"-n", "100", "-i", "-"});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_EQ(stats()["schedules"], 200);
  ASSERT_EQ(stats()["findings"].size(), 1u);  // the same bug is still one folder
  EXPECT_GE(stats()["findings"][0]["count"], count);
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
  EXPECT_NE(o.out.find("2 files"), std::string::npos) << o.out;
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

TEST_F(Campaign, HelpsAndTellsItsVersion) {
  Outcome help = test::start({RFF_STAGE "/bin/rff-fuzz", "--help"}).wait();
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("-- PROG [ARGS...]"), std::string::npos);
  EXPECT_NE(help.out.find("Examples"), std::string::npos);
  EXPECT_EQ(test::start({RFF_STAGE "/bin/rff-fuzz", "--version"}).wait().status, 0);
}

}  // namespace
}  // namespace rff
