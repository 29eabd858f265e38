#include "fuzzer/campaign/afl_version.h"

#include <charconv>
#include <cstdio>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/run/child_process.h"

namespace rff {

std::optional<AflVersion> afl_version(std::string_view help) {
  // The original AFL prints "afl-fuzz 2.52b by <lcamtuf@google.com>".
  for (std::string_view name : {"afl-fuzz++", "afl-fuzz \x1b[1;97m", "afl-fuzz "}) {
    std::size_t at = help.find(name);
    if (at == std::string_view::npos) {
      continue;
    }
    const char* end = help.data() + help.size();
    AflVersion v;
    auto major = std::from_chars(help.data() + at + name.size(), end, v.major);
    if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') {
      continue;
    }
    if (std::from_chars(major.ptr + 1, end, v.minor).ec == std::errc()) {
      return v;
    }
  }
  return std::nullopt;
}

std::string afl_version_text(AflVersion version) {
  char text[32];
  std::snprintf(text, sizeof text, "%d.%02dc", version.major, version.minor);
  return text;
}

void require_afl_version(const std::string& afl_fuzz) {
  ChildProcess::Command command;
  command.arguments = {afl_fuzz, "-h"};
  std::optional<AflVersion> found = afl_version(run_and_read(command).output);
  if (found && *found < kOldestAfl) {
    throw bad_usage(afl_fuzz + " is AFL++ " + afl_version_text(*found) + ", and rff-fuzz needs " +
                    afl_version_text(kOldestAfl) +
                    " or newer: install that, or put it first on PATH");
  }
}

}  // namespace rff
