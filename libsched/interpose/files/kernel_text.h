// The real text of a file of the kernel, read without the C library.
#pragma once

#include <string>

namespace rff {

// Returns an empty text if there is no such file.
std::string kernel_text(const char* path);

}  // namespace rff
