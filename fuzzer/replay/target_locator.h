// Finds the program that a schedule belongs to, and whether it is still the same build.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuzzer/common/temporary_folder.h"
#include "fuzzer/run/patching.h"
#include "schedule/schedule_file.h"

namespace rff {

struct LocatedTarget {
  Target target;         // the target to run
  std::string original;  // its program before it was patched for this replay
  bool rebuilt = false;  // its build id differs from the recorded one
  bool input_changed = false;
  std::vector<std::string> notes;  // remarks for the user
  std::string recorded_program;    // if it still exists and differs from the one to run
  std::shared_ptr<TemporaryFolder> patched_copy;  // holds target.path if it had to be patched
};

// How the program of a schedule is to be patched.
PatchChoice patch_choice(const Schedule& schedule);

// `command`: the program and its arguments if the user gave them, otherwise empty. `patching`: if
// it has to be patched. Throws ToolError (2) if there is no such program or it cannot be patched.
LocatedTarget locate_target(const Target& recorded, const std::string& schedule_path,
                            const std::vector<std::string>& command, const PatchChoice& patching);

}  // namespace rff
