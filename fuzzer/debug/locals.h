// Names of the local variables of main, which other threads often access. Variables of functions
// that end during the run cannot be named with certainty: their addresses on the stack belonged to
// others before.
#pragma once

#include "fuzzer/common/trace_file.h"
#include "fuzzer/debug/debug_info.h"

namespace rff {

void add_locals(const Trace& trace, DebugInfo& debug);

}  // namespace rff
