// Files in which the kernel describes the machine, for the functions that open files.
#pragma once

#include <string>

namespace rff {

// Returns the content of such a file in a controlled run; an empty text for any other file.
std::string machine_file(const char* path);
// Returns a descriptor to read the text from. `flags`: only O_CLOEXEC is used.
int open_text(const std::string& text, int flags);

}  // namespace rff
