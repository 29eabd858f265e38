// A share of the proposals, as a fraction.
#pragma once

#include <cstdint>

#include "schedule/hash.h"

namespace rff {

struct Share {
  std::uint64_t part;
  std::uint64_t of;  // at least 1

  // An empty share draws no random number.
  bool drawn(Random& random) const { return part > 0 && random.chance(part, of); }
};

inline constexpr Share kNever = {0, 1};

}  // namespace rff
