// What rff-replay does, one function per way of calling it.
#pragma once

#include "fuzzer/replay/options.h"

namespace rff {

// Returns the exit status. Throws ToolError.
int replay(const ReplayOptions& options);

}  // namespace rff
