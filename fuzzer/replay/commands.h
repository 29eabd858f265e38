// Carries out the commands of rff-replay.
#pragma once

#include "fuzzer/replay/options.h"

namespace rff {

// Runs the command that the options ask for. Returns the exit status. Throws ToolError.
int replay(const ReplayOptions& options);

}  // namespace rff
