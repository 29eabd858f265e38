// The kernel's random devices, for the functions that open and read files.
#pragma once

#include <stdio.h>

#include <cstddef>

namespace rff {

// Fills memory with bytes of the current thread's stream.
void fill_random(void* to, std::size_t n);

bool random_device(const char* path);
// The file to open instead.
inline constexpr char kInsteadOfRandom[] = "/dev/zero";
int opened_random_device(int fd);  // returns fd
bool reads_random_device(int fd);
void closed_descriptor(int fd);
void closed_descriptors(unsigned first, unsigned last);
FILE* random_stream();

}  // namespace rff
