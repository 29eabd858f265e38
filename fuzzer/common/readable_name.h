#pragma once

#include <string>

namespace rff {

// C++ names as in the source, without parameters: reports are about places, not signatures.
std::string readable_name(const char* symbol);

}  // namespace rff
