// An address as messages and reports show it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace rff::instrument {

inline std::string hex(std::uint64_t value) {
  char buffer[24];
  std::snprintf(buffer, sizeof(buffer), "0x%llx", static_cast<unsigned long long>(value));
  return buffer;
}

}  // namespace rff::instrument
