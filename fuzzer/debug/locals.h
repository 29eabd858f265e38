// Names of the local variables of main, which other threads are often given. Those of functions
// that end while others run are not known for certain: their place on the stack belonged to others
// before.
#pragma once

#include "fuzzer/common/trace_file.h"
#include "fuzzer/debug/debug_info.h"

namespace rff {

void add_locals(const Trace& trace, DebugInfo& debug);

}  // namespace rff
