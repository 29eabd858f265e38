// Functions that the mem… and str… interposers share with their fortified variants.
#pragma once

#include <cstddef>

namespace rff::ranges {

// Returns whether the call is made by the program and another thread could observe it.
bool noticed(const void* caller);

void reads(const void* at, std::size_t n, const void* caller);
void writes(const void* at, std::size_t n, const void* caller);
// Call after the source has been read: copies it, announces the write, and writes.
void store(void* to, const void* from, std::size_t n, const void* caller);

std::size_t length(const char* s);
// Returns the length including the final zero, if that is among the first `most`.
std::size_t bounded_length(const char* s, std::size_t most);
// Does strncat.
char* append(char* to, const char* from, std::size_t most, const void* caller);

}  // namespace rff::ranges
