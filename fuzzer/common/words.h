// Small pieces of English that several reports need.
#pragma once

#include <cstdint>
#include <string>

namespace rff {

// "1 run", "2 runs"
inline std::string count(std::uint64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace rff
