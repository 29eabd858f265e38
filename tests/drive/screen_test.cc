// Drives a program on a terminal of 20 x 5 characters.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/replay/replay_fixture.h"

namespace rff::test {
namespace {

// A terminal with a driver on it.
class Terminal {
 public:
  Terminal(const std::vector<std::string>& command, unsigned short columns, unsigned short rows) {
    master_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    grantpt(master_);
    unlockpt(master_);
    int slave = open(ptsname(master_), O_RDWR | O_NOCTTY);
    winsize size = {rows, columns, 0, 0};
    ioctl(slave, TIOCSWINSZ, &size);
    child_ = fork();
    if (child_ == 0) {
      setsid();
      ioctl(slave, TIOCSCTTY, 0);
      for (int fd = 0; fd <= 2; ++fd) {
        dup2(slave, fd);
      }
      std::vector<std::string> words = command;
      std::vector<char*> arguments;
      for (std::string& word : words) {
        arguments.push_back(word.data());
      }
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(slave);
  }
  ~Terminal() { close(master_); }

  // Returns everything that appears up to and with the text.
  std::string read_to(const std::string& text) {
    constexpr int kPatience = 60'000;
    std::string seen;
    pollfd fd = {master_, POLLIN, 0};
    while (seen.find(text) == std::string::npos && poll(&fd, 1, kPatience) > 0) {
      char chunk[4096];
      ssize_t n = read(master_, chunk, sizeof chunk);
      if (n <= 0) {
        break;
      }
      seen.append(chunk, static_cast<std::size_t>(n));
    }
    return seen;
  }
  void type(const std::string& keys) const { (void)!write(master_, keys.data(), keys.size()); }
  int end() {
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  int master_ = -1;
  pid_t child_ = 0;
};

// Returns the lines after the screen was cleared for the last time.
std::vector<std::string> screen(const std::string& text) {
  std::string shown = text.substr(text.rfind("\x1b[2J") + 4);
  std::vector<std::string> lines(1);
  for (char c : shown) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c != '\r') {
      lines.back() += c;
    }
  }
  return lines;
}

class ScreenTest : public ReplayTest {};

TEST_F(ScreenTest, FitsInto20By5) {
  Terminal t({tool("rff-drive"), "--", (build_folder() / "subjects/reorder_3").string()}, 20, 5);
  t.read_to("step 0> ");
  t.type("g main\n");
  std::vector<std::string> lines = screen(t.read_to("step 4> "));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "step 4");
  EXPECT_EQ(lines[1], "- 0  main    joins m");
  EXPECT_EQ(lines[2], "> 1  main.1  starts ");
  EXPECT_EQ(lines[4], "step 4> ");
  t.type("q\n");
  t.read_to("q");
  EXPECT_EQ(t.end(), 0);
}

TEST_F(ScreenTest, CtrlCLeavesTheDriverAtItsPrompt) {
  Terminal t({tool("rff-drive"), "--", (build_folder() / "subjects/reorder_3").string()}, 80, 24);
  t.read_to("step 0> ");
  t.type("\x03");
  t.read_to("(q ends the driver)");
  t.type("g main\n");
  std::string text = t.read_to("step 4> ");
  EXPECT_NE(text.find("main.4"), std::string::npos) << text;
  t.type("\x04");  // end of input
  EXPECT_EQ(t.end(), 0);
}

}  // namespace
}  // namespace rff::test
