// Finds the causes of a failure, in sentences: the values that the failing thread had read, and in
// a deadlock which thread waits for which.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"

namespace rff {

std::vector<std::string> find_causes(const Run& run, DebugInfo& debug);

}  // namespace rff
