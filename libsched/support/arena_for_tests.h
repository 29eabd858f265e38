// For tests: memory of a run comes from the heap of the test, which knows how much there is.
#pragma once

#include <cstddef>

namespace rff {

// Bytes given out by fresh_memory since the last call of drop_fresh_memory.
std::size_t fresh_bytes();
// A run is over, and its memory is dropped as a whole.
void drop_fresh_memory();

}  // namespace rff
