// What the mem… and str… functions share with their fortified variants.
#pragma once

#include <cstddef>

namespace rff::ranges {

// Whether another thread could notice the call, and it is the program's.
bool noticed(const void* caller);

void reads(const void* at, std::size_t n, const void* caller);
void writes(const void* at, std::size_t n, const void* caller);
// The source has been read; now the write.
void store(void* to, const void* from, std::size_t n, const void* caller);

std::size_t length(const char* s);
// With the final zero if it is among the first `most`.
std::size_t bounded_length(const char* s, std::size_t most);
// strncat.
char* append(char* to, const char* from, std::size_t most, const void* caller);

}  // namespace rff::ranges
