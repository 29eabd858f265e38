// Tests systematic searches of rff-fuzz from outside: with several instances, stopped, killed and
// continued. The program is benchmarks/systematic/family.c, whose trace classes are known.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "tests/fuzzer/command.h"

namespace rff {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

class Exploration : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v afl-fuzz >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "afl-fuzz is not on PATH";
    char name[] = "/tmp/rff-exploration-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<std::string> command(const std::vector<std::string>& options,
                                   const std::vector<std::string>& program) {
    std::vector<std::string> c = {RFF_BIN "/rff-fuzz", "-o",          folder_ + "/out",
                                  "--quiet",           "--scheduler", "systematic"};
    c.insert(c.end(), options.begin(), options.end());
    c.insert(c.end(), {"--", RFF_FAMILY});
    c.insert(c.end(), program.begin(), program.end());
    return c;
  }
  Outcome fuzz(const std::vector<std::string>& options, const std::vector<std::string>& program) {
    return test::start(command(options, program)).wait(300);
  }
  std::string file() const { return folder_ + "/out/systematic.bin"; }
  nlohmann::json systematic() const {
    std::string text = read_file(folder_ + "/out/stats.json").value_or("{}");
    return nlohmann::json::parse(text, nullptr, false)["systematic"];
  }
  // Waits until the saved search differs from `before`, or the process has ended.
  void wait_for_change(pid_t process, const std::string& before) const {
    int changes = ::inotify_init1(IN_NONBLOCK);
    int end = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
    ASSERT_TRUE(changes >= 0 && end >= 0);
    ::inotify_add_watch(changes, folder_.c_str(), IN_CREATE);
    pollfd events[] = {{changes, POLLIN, 0}, {end, POLLIN, 0}};
    while ((events[1].revents & POLLIN) == 0) {
      ::inotify_add_watch(changes, (folder_ + "/out").c_str(), IN_MOVED_TO | IN_CLOSE_WRITE);
      if (read_file(file()).value_or("") != before) {
        break;
      }
      ::poll(events, 2, -1);
      for (char bytes[4096]; ::read(changes, bytes, sizeof bytes) > 0;) {
      }
    }
    ::close(changes);
    ::close(end);
  }
  void expect_complete(int classes, int redundant, int failing) {
    nlohmann::json s = systematic();
    EXPECT_EQ(s["verdict"], "complete") << s.dump(2);
    EXPECT_EQ(s["classes"], classes) << s.dump(2);
    EXPECT_EQ(s["redundant"], redundant) << s.dump(2);
    EXPECT_EQ(s["reads_from_classes"], classes) << s.dump(2);
    EXPECT_EQ(s["failing"], failing) << s.dump(2);
  }

  std::string folder_;
};

TEST_F(Exploration, SeveralInstancesCountAsOneDoes) {
  for (const char* instances : {"1", "2", "3"}) {
    Outcome o = fuzz({"--force", "-j", instances}, {"philosophers", "5"});
    EXPECT_EQ(o.status, 1) << o.out << o.err;
    nlohmann::json one = systematic();
    expect_complete(31, one["redundant"], 1);
    o = fuzz({"--force", "-j", instances}, {"last_zero", "6"});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    expect_complete(144, 0, 0);
  }
}

TEST_F(Exploration, GoesOnAfterEachStop) {
  Outcome o = fuzz({"-n", "40"}, {"last_zero", "6"});
  EXPECT_NE(o.out.find("stopped: 39 trace classes explored"), std::string::npos) << o.out << o.err;
  for (int i = 0; i < 2; ++i) {
    o = fuzz({"-i", "-", "-n", "40", "-j", i == 0 ? "1" : "2"}, {"last_zero", "6"});
    EXPECT_EQ(systematic()["verdict"], "stopped") << o.out << o.err;
  }
  o = fuzz({"-i", "-"}, {"last_zero", "6"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  expect_complete(144, 0, 0);
  o = fuzz({"-i", "-"}, {"last_zero", "6"});
  EXPECT_EQ(o.status, 0) << "there is nothing left\n" << o.out << o.err;
  expect_complete(144, 0, 0);
}

// Killed as soon as there is something to go on from.
TEST_F(Exploration, GoesOnAfterItWasKilled) {
  std::vector<std::string> options = {"--seed", "1", "-j", "2"};
  for (int i = 0; i < 2; ++i) {
    std::string before = read_file(file()).value_or("");
    test::Running running = test::start(command(options, {"last_zero", "10"}));
    wait_for_change(running.pid, before);
    ::kill(running.pid, SIGKILL);
    running.wait();
    ASSERT_TRUE(fs::exists(file()));
    options = {"--seed", "1", "-j", "2", "-i", "-"};
  }
  Outcome o = fuzz(options, {"last_zero", "10"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  expect_complete(3328, 0, 0);
}

TEST_F(Exploration, IsNotContinuedFromAnythingElse) {
  fuzz({"-n", "20", "--seed", "1"}, {"last_zero", "6"});
  auto expect_refused = [&](std::vector<std::string> options, const std::string& why) {
    options.insert(options.begin(), {"-i", "-"});
    Outcome o = fuzz(options, {"last_zero", "6"});
    EXPECT_EQ(o.status, 2) << o.out << o.err;
    EXPECT_EQ(o.err,
              "rff-fuzz: " + file() + " cannot be resumed: " + why + "start anew with --force\n");
  };
  expect_refused({"--seed", "2"}, "it was begun with --seed 1; give that one, or ");
  expect_refused({"--classes", "interleavings"},
                 "it was begun with other options; give the same ones, or ");
  std::string bytes = *read_file(file());
  ASSERT_EQ(write_file(file(), bytes.substr(0, bytes.size() - 1)), 0);
  expect_refused({}, "it is damaged; ");
  ASSERT_EQ(write_file(file(), "something else"), 0);
  expect_refused({}, "it was not written by rff-fuzz; ");
  Outcome o = fuzz({"--force"}, {"last_zero", "6"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  expect_complete(144, 0, 0);
}

}  // namespace
}  // namespace rff
