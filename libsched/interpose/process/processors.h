// The processors of the machine, as the program sees them: every way to ask gives the same answer,
// which does not depend on the machine.
#pragma once

#include <string>

namespace rff {

inline constexpr int kProcessors = 4;

// Returns the text of a file in which the kernel describes the processors; "" for every other file.
std::string processor_file(const std::string& path);
// Returns whether a path would reveal more about the processors: it does not exist for the program.
bool hides_processors(const char* path);

}  // namespace rff
