#include "fuzzer/campaign/preparation.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "fuzzer/campaign/child_process.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

// Runs rff-instrument; its last line of output explains a failure.
void run_instrument(const Installation& installation, const std::string& from, const std::string& to) {
  int printed[2];
  if (::pipe2(printed, O_CLOEXEC) != 0) {
    throw tool_failed(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  ChildProcess::Command command;
  command.arguments = {installation.instrument, "-o", to, from};
  command.output = printed[1];
  ChildProcess child(command);
  ::close(printed[1]);
  if (!child.running()) {
    ::close(printed[0]);
    throw bad_usage(installation.instrument + " cannot be started (" + std::strerror(child.error()) +
                    "): build or install all of RFF, or patch the program yourself");
  }
  std::string output;
  char buffer[4096];
  ssize_t n;
  while ((n = ::read(printed[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)) {
    output.append(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  }
  ::close(printed[0]);
  while (!child.ended()) {
    ::usleep(1000);
  }
  if (WIFEXITED(child.status()) && WEXITSTATUS(child.status()) == 0) {
    return;
  }
  while (!output.empty() && output.back() == '\n') {
    output.pop_back();
  }
  std::string last = output.substr(output.rfind('\n') + 1);
  bool users_fault = WIFEXITED(child.status()) && WEXITSTATUS(child.status()) == kBadUsage;
  std::string line = "cannot patch " + from + ": " + (last.empty() ? "rff-instrument failed" : last);
  throw users_fault ? bad_usage(line) : tool_failed(line);
}

// Every run gets the same standard input. A file stays where it is; what comes through a pipe is read once, now.
std::string standard_input_file(const OutputFolder& output, bool resume) {
  struct stat status;
  if (::fstat(0, &status) != 0 || ::isatty(0) == 1) {
    return {};
  }
  if (S_ISREG(status.st_mode)) {
    std::error_code error;
    fs::path path = fs::read_symlink("/proc/self/fd/0", error);
    if (!error && fs::exists(path, error)) {
      return path.string();
    }
  }
  std::string kept = (output / "stdin").string();
  if (S_ISCHR(status.st_mode)) {  // /dev/null and its like
    std::error_code error;
    return resume && fs::exists(kept, error) ? kept : std::string();
  }
  std::optional<std::string> bytes = read_file("/proc/self/fd/0");
  if (!bytes || bytes->empty()) {
    return {};
  }
  if (int error = write_file(kept, *bytes); error != 0) {
    throw tool_failed("cannot write " + kept + ": " + std::strerror(error));
  }
  return kept;
}

}  // namespace

Prepared prepare_target(const Options& options, const Installation& installation, const TargetFile& file,
                        const OutputFolder& output) {
  Prepared p;
  p.original = file.path;
  p.target.path = file.path;
  p.target.arguments = options.arguments;
  p.target.build_id = file.build_id;
  if (!file.patched) {
    fs::path patched = output / "patched" / (fs::path(file.path).filename().string() + ".patched");
    run_instrument(installation, file.path, patched.string());
    p.target.path = patched.string();
    if (!options.quiet) {
      std::printf("%s is not patched yet: using %s\n", options.program.c_str(), patched.c_str());
    }
  }
  p.target.standard_input = standard_input_file(output, options.resume);
  p.target.input_digest = input_digest(options.arguments, p.target.standard_input);
  return p;
}

}  // namespace rff
