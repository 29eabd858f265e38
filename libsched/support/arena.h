// Memory of the runtime beyond operator new.
#pragma once

#include <cstddef>

namespace rff {

// Memory that was never used before and so is all zero and untouched: costs nothing until written.
// It is never given back.
void* fresh_memory(std::size_t bytes);

}  // namespace rff
