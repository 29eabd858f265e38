#include "fuzzer/run/patching.h"

#include <sys/wait.h>

#include <cstring>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/run/child_process.h"

namespace rff {

// On failure the error is the last line that rff-instrument printed.
void patch_file(const std::string& instrument, const std::string& from, const std::string& to,
                const PatchChoice& choice) {
  ChildProcess::Command command;
  command.arguments = {instrument, "-o", to, from};
  if (choice.calls) {
    command.arguments.insert(command.arguments.begin() + 1, "--calls");
  }
  if (choice.branches) {
    command.arguments.insert(command.arguments.begin() + 1, "--branches");
  }
  if (!choice.functions.empty()) {
    command.arguments.insert(command.arguments.begin() + 1, {"--functions", choice.functions});
  }
  Printed printed = run_and_read(command);
  if (printed.error != 0) {
    throw bad_usage(instrument + " cannot be started (" + std::strerror(printed.error) +
                    "): build or install all of RFF, or patch the program yourself");
  }
  if (WIFEXITED(printed.status) && WEXITSTATUS(printed.status) == 0) {
    return;
  }
  std::string output = printed.output;
  while (!output.empty() && output.back() == '\n') {
    output.pop_back();
  }
  std::string last = output.substr(output.rfind('\n') + 1);
  bool users_fault = WIFEXITED(printed.status) && WEXITSTATUS(printed.status) == kBadUsage;
  std::string line =
      "cannot patch " + from + ": " + (last.empty() ? "rff-instrument failed" : last);
  throw users_fault ? bad_usage(line) : tool_failed(line);
}

}  // namespace rff
