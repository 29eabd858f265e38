// Runs programs and patches files for tests.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace rff::test {

struct Outcome {
  int status = -1;  // exit status, or 128 + signal
  std::string out;
  std::string err;
};

using Environment = std::map<std::string, std::string>;

// Replaces the calling process, a child, by the command. Ends it with status 127 if that fails.
[[noreturn]] void become(const std::vector<std::string>& command, const Environment& environment);

// Runs a program with this environment added to the test's, and `input` as its standard input.
Outcome execute(const std::vector<std::string>& command, const Environment& environment = {},
                const std::string& input = "");

// Creates a fresh folder below the test's temporary folder.
std::string fresh_folder();

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& content);
std::vector<std::string> lines_of(const std::string& text);

// Runs rff-instrument FILE -o OUT --json JSON. Fails the test if that fails.
void patch(const std::string& file, const std::string& out, const std::string& json);

// Returns whether E9Patch, which is not part of this repository, is available.
bool have_e9_patch();
inline constexpr char kNoE9Patch[] =
    "E9Patch is not on PATH: build it and put e9patch there to test its backend";
void patch_with_e9_patch(const std::string& file, const std::string& out, const std::string& json,
                         const std::vector<std::string>& options = {});
// Return the paths of the preload libraries of this folder.
std::string backtrace_runtime();
std::string counting_runtime();
std::string emulating_runtime();
std::string recording_runtime();
std::string spoiling_runtime();
std::string stepping_oracle();

// A run under the recording runtime or the oracle; see access_log.h.
struct Recording {
  std::string out;
  std::string stack;  // how the stack was aligned
  std::vector<std::string> events;
  std::vector<std::string> with_returns;  // the same, with those of frames (when stepping)
};
Recording record(const std::string& program, const std::string& library, const std::string& log);

}  // namespace rff::test
