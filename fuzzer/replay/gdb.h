// --gdb: shows the failure in the debugger, with all threads where they are when it happens.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"

namespace rff {

// Runs gdb on the schedule until the user quits it. Returns the exit status. Throws ToolError.
int debug_failure(const Schedule& schedule, const Run& run, DebugInfo& debug,
                  const std::string& launcher, const std::vector<std::string>& gdb_arguments);

}  // namespace rff
