// Finds the installed parts of RFF relative to the running program, and afl-fuzz on PATH.
#pragma once

#include <string>

namespace rff {

struct Installation {
  std::string launcher;    // bin/rff-launch
  std::string instrument;  // bin/rff-instrument
  std::string replay;      // bin/rff-replay
  std::string mutator;     // lib/librff_mutator.so
  std::string afl_fuzz;

  // Throws ToolError (2) if a part needed for fuzzing is missing.
  static Installation find();
  // Finds only the launcher, which is enough to replay. Throws ToolError (2) if it is missing.
  static std::string find_launcher();
  // Finds only rff-instrument. Throws ToolError (2) if it is missing.
  static std::string find_instrument();
};

}  // namespace rff
