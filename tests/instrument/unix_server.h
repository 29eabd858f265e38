// Runs a server of Debian and asks it something, for tests.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/instrument/support.h"

namespace rff::test {

// A server on a Unix socket that prints a line when it listens, and is ended by a signal.
class Server {
 public:
  Server(const std::vector<std::string>& command, const Environment& environment) {
    int log[2];
    if (pipe2(log, O_CLOEXEC) != 0) {
      ADD_FAILURE() << "no pipe";
      return;
    }
    log_ = log[0];
    child_ = fork();
    if (child_ == 0) {
      dup2(open("/dev/null", O_RDONLY), 0);
      dup2(log[1], 1);
      dup2(log[1], 2);
      become(command, environment);
    }
    close(log[1]);
  }
  // Returns false if the server ended without printing `ready`.
  bool wait_for(const std::string& ready) const {
    std::string said;
    while (said.find(ready) == std::string::npos) {
      if (!append(log_, said)) {
        ADD_FAILURE() << "not ready: " << said;
        return false;
      }
    }
    return true;
  }
  // Sends `request` and reads until the server closes the connection.
  std::string ask(const std::string& socket_path, const std::string& request) const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, socket_path.c_str(), sizeof(address.sun_path) - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    (void)!write(fd, request.data(), request.size());
    std::string answer;
    std::string said;
    pollfd fds[] = {{fd, POLLIN, 0}, {log_, POLLIN, 0}};
    for (bool open = true; open;) {
      poll(fds, 2, -1);
      // The server's log must be read, or it would block.
      if (fds[1].revents != 0 && !append(log_, said)) {
        fds[1].fd = -1;
      }
      open = fds[0].revents == 0 || append(fd, answer);
    }
    close(fd);
    return answer;
  }
  int end(int signal) {
    kill(child_, signal);
    for (std::string said; append(log_, said);) {
    }
    close(log_);
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  static bool append(int fd, std::string& text) {
    char buffer[4096];
    ssize_t n = read(fd, buffer, sizeof(buffer));
    text.append(buffer, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    return n > 0;
  }

  pid_t child_ = -1;
  int log_ = -1;
};

}  // namespace rff::test
