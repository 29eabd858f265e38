// Encodes a patched site in 32 bits, as memory cells hold it: its module in bits 24 to 30, its
// number plus one below. With the top bit (kInterned) it is an event of the table instead.
#pragma once

#include <cstdint>

namespace rff {

inline constexpr std::uint32_t kInterned = 0x80000000;
inline constexpr std::uint32_t kMaxPatchedModules = 128;
inline constexpr std::uint32_t kMaxSitesOfModule = 0xffffff;

// Requires: within the limits, which load_patched checks for every module.
constexpr std::uint32_t site_code(std::uint32_t module, std::uint32_t site) {
  return (module << 24) | (site + 1);
}
constexpr std::uint32_t module_of(std::uint32_t code) { return code >> 24; }
constexpr std::uint32_t site_of(std::uint32_t code) { return (code & 0xffffff) - 1; }

}  // namespace rff
