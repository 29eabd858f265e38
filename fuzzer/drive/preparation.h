// Prepares a drive: finds and patches the program, learns its scheduling points, and records the
// run to follow.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuzzer/common/temporary_folder.h"
#include "fuzzer/drive/options.h"
#include "fuzzer/run/run.h"

namespace rff {

struct PreparedDrive {
  Schedule base;                // what all runs of the drive share: no prefix, no finding
  std::string program;          // the one that a saved schedule names
  std::vector<Decision> given;  // the decisions of the run to follow
  bool follows = false;         // there is such a run
  std::string given_end;        // how it ends, in words; empty if there is none
  std::vector<std::string> notes;
  std::shared_ptr<TemporaryFolder> patched_copy;
};

// Throws ToolError.
PreparedDrive prepare_drive(const DriveOptions& options, const std::string& launcher);

}  // namespace rff
