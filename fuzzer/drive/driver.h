// Carries out the commands of rff-drive.
#pragma once

#include "fuzzer/drive/options.h"

namespace rff {

// Returns the exit status. Throws ToolError.
int drive(const DriveOptions& options);

}  // namespace rff
