// Separate debug files that a program names (.gnu_debuglink), which lie beside it.
#pragma once

#include <string>

namespace rff {

// Makes the debug file of the original, if it names one that is there, findable beside the copy.
void keep_debug_link(const std::string& original, const std::string& copy);

}  // namespace rff
