// Runs rff-instrument on a program that the user has not patched.
#pragma once

#include <string>

namespace rff {

// Options of rff-instrument.
struct PatchChoice {
  bool calls = false;
  bool branches = false;
  std::string functions = {};  // patterns; empty: all
};

// Writes the patched form of `from` to `to`. Throws ToolError: 2 if the file cannot be patched or
// rff-instrument is missing.
void patch_file(const std::string& instrument, const std::string& from, const std::string& to,
                const PatchChoice& choice = {});

}  // namespace rff
