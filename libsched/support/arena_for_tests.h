// For tests: memory of a run comes from the heap of the test, which counts it.
#pragma once

#include <cstddef>

namespace rff {

// Returns the bytes allocated by fresh_memory since the last drop_fresh_memory.
std::size_t fresh_bytes();
// Frees all memory of a run.
void drop_fresh_memory();

}  // namespace rff
