// Runs a program for a test and keeps its output.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace rff::test {

struct Outcome {
  int status = -1;  // exit status, or 128 + signal
  std::string out;
  std::string err;
};

struct Running {
  pid_t pid;
  int out;
  int err;

  // Returns when the process ends, or kills it after `seconds`. `watch` is called with all output
  // so far, each time some arrives.
  Outcome wait(int seconds = 120, const std::function<void(const std::string&)>& watch = nullptr) {
    Outcome o;
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    pollfd fds[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
    std::string* texts[2] = {&o.out, &o.err};
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
      ::poll(fds, 2, 100);
      for (int i = 0; i < 2; ++i) {
        if (fds[i].fd >= 0 && fds[i].revents != 0) {
          char buffer[4096];
          ssize_t n = ::read(fds[i].fd, buffer, sizeof buffer);
          if (n <= 0) {
            ::close(fds[i].fd);
            fds[i].fd = -1;
          } else {
            texts[i]->append(buffer, static_cast<std::size_t>(n));
            if (watch) watch(o.out);
          }
        }
      }
      if (std::chrono::steady_clock::now() > deadline) {
        ::kill(pid, SIGKILL);
        deadline += std::chrono::hours(1);
      }
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    o.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return o;
  }
};

inline Running start(const std::vector<std::string>& command,
                     const std::string& standard_input = "/dev/null",
                     const std::string& folder = ".") {
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) ::abort();
  pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(::open(standard_input.c_str(), O_RDONLY), 0);
    ::dup2(out[1], 1);
    ::dup2(err[1], 2);
    std::vector<char*> argv;
    for (const std::string& a : command) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    if (::chdir(folder.c_str()) == 0) ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(out[1]);
  ::close(err[1]);
  return {pid, out[0], err[0]};
}

}  // namespace rff::test
