// The processors of the machine, as the program sees them: every way to ask gives one answer, which
// does not depend on the machine.
#pragma once

#include <string>

namespace rff {

inline constexpr int kProcessors = 4;

// The text of a file in which the kernel tells of the processors; "" for every other file.
std::string processor_file(const std::string& path);
// Whether a path tells more of the processors than we answer: it does not exist for the program.
bool hides_processors(const char* path);

}  // namespace rff
