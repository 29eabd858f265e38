// Finds causes of a failure in memory: the values that the failing thread had read, the pointer it
// followed, blocks that were freed too early or twice.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"

namespace rff {

std::vector<std::string> memory_causes(const Run& run, DebugInfo& debug, std::uint32_t thread);

}  // namespace rff
