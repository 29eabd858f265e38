// Sentences that say why: which values the failing thread had seen, and for a deadlock who waits
// for whom.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"

namespace rff {

std::vector<std::string> find_causes(const Run& run, DebugInfo& debug);

}  // namespace rff
