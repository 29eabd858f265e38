#include "fuzzer/campaign/plain_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/run/child_process.h"
#include "fuzzer/run/interrupts.h"
#include "fuzzer/run/leftovers.h"

namespace rff {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kSlow{1};
constexpr std::string_view kSuffix = ".patched";

// Disables core files while it exists: a crash in the plain run must not leave one behind.
class NoCoreFile {
 public:
  NoCoreFile() {
    ::getrlimit(RLIMIT_CORE, &before_);
    rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_CORE, &none);
  }
  ~NoCoreFile() { ::setrlimit(RLIMIT_CORE, &before_); }

 private:
  rlimit before_{};
};

// A pipe with a non-blocking read end.
struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      throw tool_failed(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    ::close(ends[0]);
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_writer() {
    if (ends[1] >= 0) {
      ::close(ends[1]);
      ends[1] = -1;
    }
  }
};

// Reads the available bytes. Returns false at the end of the output.
bool read_tail(int from, std::string& tail) {
  char buffer[1 << 14];
  ssize_t n;
  while ((n = ::read(from, buffer, sizeof buffer)) > 0) {
    tail.append(buffer, static_cast<std::size_t>(n));
    if (tail.size() > PlainRun::kOutputKept) {
      tail.erase(0, tail.size() - PlainRun::kOutputKept);
    }
  }
  return n < 0;
}

}  // namespace

std::optional<int> PlainRun::status() const {
  if (!ran || cut_off) {
    return std::nullopt;
  }
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::string PlainRun::how_it_ended() const {
  if (!cut_off) {
    return wait_status_words(wait_status);
  }
  char text[64];
  std::snprintf(text, sizeof text, "no end after %.3g s", seconds);
  return text;
}

std::string plain_program(const TargetFile& file) {
  if (file.patched && file.path.ends_with(kSuffix) && !file.build_id.empty()) {
    std::string beside = file.path.substr(0, file.path.size() - kSuffix.size());
    try {
      TargetFile original = TargetFile::open(beside);
      if (!original.patched && original.build_id == file.build_id) {
        return original.path;
      }
    } catch (const ToolError&) {  // it does not exist or cannot be run
    }
  }
  return file.path;
}

PlainRun run_plainly(const std::string& program, const Target& target, const std::string& variable,
                     double seconds, const std::function<void()>& slow) {
  PlainRun run;
  Pipe output;
  Leftovers leftovers;
  NoCoreFile no_core_file;
  ChildProcess::Command command;
  command.arguments = {program};
  command.arguments.insert(command.arguments.end(), target.arguments.begin(),
                           target.arguments.end());
  command.standard_input = target.standard_input;
  if (std::size_t end = variable.find('='); end != std::string::npos) {
    command.environment[variable.substr(0, end)] = variable.substr(end + 1);
  }
  command.output = output.ends[1];
  auto start = Clock::now();
  ChildProcess child(command);
  output.close_writer();
  run.error = child.error();
  run.ran = child.running();
  std::chrono::duration<double> limit(seconds);
  bool open = run.ran, told = false;
  while (run.ran && !child.ended()) {
    pollfd printed{open ? output.ends[0] : -1, POLLIN, 0};
    ::poll(&printed, 1, 2);
    open = open && (printed.revents == 0 || read_tail(output.ends[0], run.output_tail));
    if (!told && Clock::now() - start > kSlow) {
      told = true;
      slow();
    }
    if (Clock::now() - start > limit || interrupted()) {
      run.cut_off = true;
      child.kill_group();
    }
  }
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  read_tail(output.ends[0], run.output_tail);
  run.wait_status = child.status();
  return run;
}

}  // namespace rff
