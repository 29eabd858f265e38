#include "fuzzer/run/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "fuzzer/run/leftovers.h"

namespace rff {
namespace {

std::vector<std::string> environment_of(const ChildProcess::Command& command) {
  std::vector<std::string> result;
  for (char** e = environ; *e != nullptr; ++e) {
    std::string_view entry(*e);
    if (!entry.starts_with("AFL_") && !entry.starts_with("__AFL") && !entry.starts_with("RFF_") &&
        !entry.starts_with("LD_PRELOAD=") &&
        !command.environment.contains(std::string(entry.substr(0, entry.find('='))))) {
      result.emplace_back(entry);
    }
  }
  for (const auto& [name, value] : command.environment) {
    result.push_back(name + "=" + value);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) {
    result.push_back(s.data());
  }
  result.push_back(nullptr);
  return result;
}

// Returns the errno that the child has written; 0 if its exec succeeded and closed the pipe.
int read_error(int pipe) {
  int error = 0;
  ssize_t n;
  while ((n = ::read(pipe, &error, sizeof error)) < 0 && errno == EINTR) {
  }
  return n == sizeof error ? error : 0;
}

}  // namespace

ChildProcess::ChildProcess(const Command& command) {
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = environment_of(command);
  std::vector<char*> argv = pointers(arguments);
  std::vector<char*> envp = pointers(environment);
  const char* input = command.standard_input.empty() ? "/dev/null" : command.standard_input.c_str();
  pid_t parent = ::getpid();

  int failure[2];  // distinguishes a failed exec from a program that ended
  if (::pipe2(failure, O_CLOEXEC) != 0) {
    error_ = errno;
    return;
  }
  pid_t pid = Leftovers::fork_kept();
  if (pid < 0) {
    error_ = errno;
    ::close(failure[0]);
    ::close(failure[1]);
    return;
  }
  if (pid == 0) {
    // Only async-signal-safe calls are allowed here. A new session has no terminal, as under
    // afl-fuzz; a program that uses the screen keeps our session.
    command.output == kOurs ? ::setpgid(0, 0) : ::setsid();
    ::prctl(PR_SET_PDEATHSIG, SIGINT);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    int in = ::open(input, O_RDONLY);
    bool ready = ::getppid() == parent && in >= 0 && ::dup2(in, 0) == 0;
    if (command.output != kOurs) {
      int out = command.output >= 0 ? command.output : ::open("/dev/null", O_RDWR);
      ready = ready && ::dup2(out, 1) == 1 && (command.keep_error_output || ::dup2(out, 2) == 2);
    }
    for (int fd : command.inherit) {
      ::fcntl(fd, F_SETFD, 0);
    }
    if (in > 2) {
      ::close(in);
    }
    if (ready) {
      ::execve(argv[0], argv.data(), envp.data());
    }
    int error = errno;
    (void)!::write(failure[1], &error, sizeof error);
    ::_exit(127);
  }
  ::close(failure[1]);
  error_ = read_error(failure[0]);
  ::close(failure[0]);
  if (error_ != 0) {
    ::waitpid(pid, nullptr, 0);
    Leftovers::forget(pid);
    return;
  }
  pid_ = group_ = pid;
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(group_, other.group_);
  std::swap(status_, other.status_);
  std::swap(error_, other.error_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill_group();
  }
}

bool ChildProcess::ended() {
  if (pid_ <= 0) {
    return true;
  }
  pid_t reaped = ::waitpid(pid_, &status_, WNOHANG);
  if (reaped == pid_ || (reaped < 0 && errno == ECHILD)) {
    ::kill(-group_, SIGKILL);
    Leftovers::forget(std::exchange(pid_, 0));
    return true;
  }
  return false;
}

void ChildProcess::signal(int number) {
  if (pid_ > 0) {
    ::kill(pid_, number);
  }
}

void ChildProcess::kill_group() {
  if (pid_ > 0) {
    ::kill(-group_, SIGKILL);
    while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    Leftovers::forget(std::exchange(pid_, 0));
  }
}

std::string wait_status_words(int status) {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) + " (" +
                                   ::strsignal(WTERMSIG(status)) + ")"
                             : "exit status " + std::to_string(WEXITSTATUS(status));
}

Printed run_and_read(ChildProcess::Command command) {
  Printed printed;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    printed.error = errno;
    return printed;
  }
  command.output = ends[1];
  ChildProcess child(command);
  ::close(ends[1]);
  printed.error = child.error();
  char buffer[4096];
  ssize_t n;
  while ((n = ::read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)) {
    printed.output.append(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  }
  ::close(ends[0]);
  while (!child.ended()) {
    ::usleep(1000);
  }
  printed.status = child.status();
  return printed;
}

}  // namespace rff
