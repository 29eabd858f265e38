// Separate debug files that a program names (.gnu_debuglink), in its folder or in .debug there.
#pragma once

#include <string>

namespace rff {

// If the original names a debug file that exists, makes that file findable beside the copy.
void keep_debug_link(const std::string& original, const std::string& copy);

}  // namespace rff
