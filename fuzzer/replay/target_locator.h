// The program that a schedule belongs to: where it is now, and whether it is still the same.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuzzer/common/temporary_folder.h"
#include "schedule/schedule_file.h"

namespace rff {

struct LocatedTarget {
  Target target;         // as it is to be run
  bool rebuilt = false;  // another build id than recorded
  bool input_changed = false;
  std::vector<std::string> notes;  // what the user should know
  std::string recorded_program;  // the recorded program, if it still exists and is another one than
                                 // that to be run
  std::shared_ptr<TemporaryFolder> patched_copy;  // holds target.path if it had to be patched
};

// `command`: the program and its arguments if the user gave them, else empty. Throws ToolError (2):
// no such program, or it cannot be patched.
LocatedTarget locate_target(const Target& recorded, const std::string& schedule_path,
                            const std::vector<std::string>& command);

}  // namespace rff
