// The operands of comparisons, as they lie in the record of a run.
#pragma once

#include <cstdint>

#include "schedule/event.h"

namespace rff {

// Two values that the program compared, once for each place and pair of values. Only programs
// patched with --branches report comparisons.
struct ComparedValues {
  std::uint64_t first;  // bytes beyond `width` are zero
  std::uint64_t second;
  CodeName site;
  std::uint16_t thread;  // the first that made this comparison
  std::uint8_t width;    // 1, 2, 4 or 8 bytes
  bool constant;         // `second` stands in the code
  std::uint32_t reserved;
};
static_assert(sizeof(ComparedValues) == 32);

// Two byte strings that the program compared by a function such as memcmp, or their beginnings.
struct ComparedBytes {
  static constexpr std::uint8_t kMost = 32;
  CodeName site;         // of the call
  std::uint16_t thread;  // the first that made this comparison
  std::uint8_t first_size, second_size;
  std::uint32_t reserved;
  std::uint8_t first[kMost], second[kMost];
};

}  // namespace rff
