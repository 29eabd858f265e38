// Checks at start that the loaded C library has the internals that the runtime relies on.
#pragma once

namespace rff {

// Returns the name of the first assumption that does not hold; null if all do. Takes microseconds
// and leaves nothing in the heap. (ThreadDescriptors::prepare checks what only fibers need.)
const char* broken_assumption();

}  // namespace rff
