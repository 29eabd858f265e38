// Files in which the kernel tells of the machine, for the functions that open files.
#pragma once

#include <string>

namespace rff {

// What such a file says in a controlled run, and of no other file anything.
std::string machine_file(const char* path);
// A descriptor to read it from, with O_CLOEXEC or without.
int open_text(const std::string& text, int flags);

}  // namespace rff
