// read and write as the program gets them, for functions of the C library that make these calls
// inside themselves.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace rff {

ssize_t read_descriptor(int fd, void* to, std::size_t n, const void* caller);
ssize_t write_descriptor(int fd, const void* from, std::size_t n, const void* caller);

// Writes all of it, as the program's output. Returns false on an error.
bool print_to_descriptor(int fd, const char* text, std::size_t n, const void* caller);

}  // namespace rff
