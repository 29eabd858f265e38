#include "fuzzer/run/launch.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "schedule/from_start.h"
#include "schedule/input_parts.h"
#include "schedule/shared_memory.h"

namespace rff {

std::string library_path(const Target& target) {
  std::vector<std::string> folders;
  for (const std::string& library : target.libraries) {
    std::string folder = std::filesystem::path(library).parent_path().string();
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(folder);
    }
  }
  if (const char* set = std::getenv("LD_LIBRARY_PATH"); set != nullptr && !folders.empty()) {
    folders.emplace_back(set);
  }
  std::string path;
  for (const std::string& folder : folders) {
    path += (path.empty() ? "" : ":") + folder;
  }
  return path;
}

namespace {

// The options that afl-fuzz sets for sanitizers and the loader, so that a run is the same with and
// without it. The user's own options come before those that afl-fuzz requires and after those that
// it only prefers.
struct Options {
  const char* variable;
  const char* preferred;
  const char* needed;
};
constexpr Options kOptions[] = {
    {"ASAN_OPTIONS", "allocator_may_return_null=1:detect_odr_violation=0:",
     "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:"
     "abort_on_error=1:symbolize=0:verify_asan_link_order=0:use_sigaltstack=1:"
     "allocator_release_to_os_interval_ms=-1:halt_on_error=1"},
    {"UBSAN_OPTIONS", "",
     "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:"
     "halt_on_error=1:abort_on_error=1:symbolize=0"},
    {"MSAN_OPTIONS", "", "exit_code=86:abort_on_error=1:symbolize=0"},
    {"LSAN_OPTIONS", "", "exitcode=23:symbolize=0:abort_on_error=1"},
};

void set_options(std::map<std::string, std::string>& environment) {
  for (const Options& o : kOptions) {
    const char* own = std::getenv(o.variable);
    environment[o.variable] =
        std::string(o.preferred) + (own != nullptr ? std::string(own) + ":" : "") + o.needed;
  }
  environment["LD_BIND_NOW"] = "1";
}

}  // namespace

ChildProcess::Command launch_command(const std::string& launcher, const Target& target,
                                     const ProgramInput& input) {
  using Way = ProgramInput::Way;
  ChildProcess::Command command;
  command.arguments = {launcher, target.path};
  for (std::string argument : target.arguments) {
    for (std::size_t part = 0; part < std::max<std::size_t>(parts_of(input), 1); ++part) {
      std::string mark = part_mark(kInputMark, input, part);
      if (input.way == Way::kFile) {
        argument = replace_mark(argument, mark, input_path(part));
      } else if (input.way == Way::kArgument) {
        argument = replace_mark(argument, mark, part_mark(kHiddenInputMark, input, part));
      }
    }
    command.arguments.push_back(argument);
  }
  if (input.given()) {
    command.environment[kFromStartVariable] = "1";
  }
  command.environment[kInputVariable] =
      target.standard_input.empty() ? "/dev/null" : target.standard_input;
  command.environment[kSeenProcessorsVariable] = std::to_string(target.processors);
  if (target.checks.any()) {
    command.environment[kChecksVariable] = checks_to_text(target.checks);
  }
  if (std::string path = library_path(target); !path.empty()) {
    command.environment[kLibraryPathVariable] = path;
  }
  if (const char* join = std::getenv(kJoinVariable)) {
    command.environment[kJoinVariable] = join;
  }
  set_options(command.environment);
  return command;
}

}  // namespace rff
