#include "tests/instrument/support.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace rff::test {

namespace {

// Reads both pipes while feeding the third until all are closed.
void exchange(int in, int out, int err, const std::string& input, Outcome& outcome) {
  std::size_t fed = 0;
  fcntl(in, F_SETFL, O_NONBLOCK);
  if (input.empty()) {
    close(in);
    in = -1;
  }
  while (out >= 0 || err >= 0) {
    pollfd fds[3] = {{in, POLLOUT, 0}, {out, POLLIN, 0}, {err, POLLIN, 0}};
    if (poll(fds, 3, -1) < 0 && errno != EINTR) {
      break;
    }
    if (in >= 0 && fds[0].revents != 0) {
      ssize_t n = write(in, input.data() + fed, input.size() - fed);
      if (n > 0) {
        fed += static_cast<std::size_t>(n);
      }
      if (fed == input.size() || (n < 0 && errno != EAGAIN)) {
        close(in);
        in = -1;
      }
    }
    auto drain = [](int& fd, short events, std::string& text) {
      char buffer[65536];
      if (fd >= 0 && events != 0) {
        ssize_t n = read(fd, buffer, sizeof(buffer));
        if (n > 0) {
          text.append(buffer, static_cast<std::size_t>(n));
        } else {
          close(fd);
          fd = -1;
        }
      }
    };
    drain(out, fds[1].revents, outcome.out);
    drain(err, fds[2].revents, outcome.err);
  }
  if (in >= 0) {
    close(in);
  }
}

}  // namespace

void become(const std::vector<std::string>& command, const Environment& environment) {
  for (const auto& [name, value] : environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

Outcome execute(const std::vector<std::string>& command, const Environment& environment,
                const std::string& input) {
  signal(SIGPIPE, SIG_IGN);
  int in[2];
  int out[2];
  int err[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
    ADD_FAILURE() << "no pipes";
    return {};
  }
  pid_t child = fork();
  if (child == 0) {
    signal(SIGPIPE, SIG_DFL);
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(err[1], 2);
    become(command, environment);
  }
  close(in[0]);
  close(out[1]);
  close(err[1]);
  Outcome outcome;
  exchange(in[1], out[0], err[0], input, outcome);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

std::string fresh_folder() {
  std::string pattern = ::testing::TempDir() + "rff-instrument-XXXXXX";
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  return pattern;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream content;
  content << in.rdbuf();
  return content.str();
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

void patch(const std::string& file, const std::string& out, const std::string& json) {
  Outcome outcome = execute({RFF_INSTRUMENT, file, "-o", out, "--json", json});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
}

bool have_e9_patch() { return execute({"e9patch", "--version"}).status == 0; }

void patch_with_e9_patch(const std::string& file, const std::string& out, const std::string& json,
                         const std::vector<std::string>& options) {
  std::vector<std::string> command{RFF_INSTRUMENT, "--backend", "e9patch", file,
                                   "-o",           out,         "--json",  json};
  command.insert(command.end(), options.begin(), options.end());
  Outcome outcome = execute(command);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
}

std::string backtrace_runtime() {
  return std::string(RFF_TEST_LIBRARIES) + "/libbacktrace_runtime.so";
}
std::string counting_runtime() {
  return std::string(RFF_TEST_LIBRARIES) + "/libcounting_runtime.so";
}
std::string emulating_runtime() {
  return std::string(RFF_TEST_LIBRARIES) + "/libemulating_runtime.so";
}
std::string recording_runtime() {
  return std::string(RFF_TEST_LIBRARIES) + "/librecording_runtime.so";
}
std::string spoiling_runtime() {
  return std::string(RFF_TEST_LIBRARIES) + "/libspoiling_runtime.so";
}
std::string stepping_oracle() { return std::string(RFF_TEST_LIBRARIES) + "/libstepping_oracle.so"; }

Recording record(const std::string& program, const std::string& library, const std::string& log) {
  Outcome run = execute({program}, {{"LD_PRELOAD", library}, {"RFF_TEST_LOG", log}});
  EXPECT_EQ(run.status, 0) << run.err;
  std::vector<std::string> lines = lines_of(read_file(log));
  unlink(log.c_str());
  if (lines.empty()) {
    ADD_FAILURE() << "no log";
    return {};
  }
  Recording recording{run.out, lines.front(), {}, {lines.begin() + 1, lines.end()}};
  std::copy_if(lines.begin() + 1, lines.end(), std::back_inserter(recording.events),
               [](const std::string& line) { return line.find(" x ") == std::string::npos; });
  return recording;
}

}  // namespace rff::test
