// Reports the operands of memcmp and its relatives, for programs patched with --branches.
#pragma once

#include <cstddef>

namespace rff::compared_bytes {

// Call right before the comparison. No effect unless the caller is code with branch hooks.
void report_memory(const void* first, std::size_t first_size, const void* second,
                   std::size_t second_size, const void* caller);
// Strings that end at a zero byte, or after `most` bytes.
void report_strings(const char* first, const char* second, std::size_t most, const void* caller);

}  // namespace rff::compared_bytes
