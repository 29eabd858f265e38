// Comparisons that a run made, and what they suggest for its input: where one operand is found in
// the input, the other one is put there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/event.h"
#include "schedule/shared_memory.h"

namespace rff {

struct ComparedOperands {
  CodeName site;
  std::uint16_t thread = 0;
  std::uint8_t width = 0;  // of the values: 1, 2, 4 or 8 bytes; 0: two byte strings
  bool constant = false;   // `second` stands in the code
  std::uint64_t first = 0, second = 0;
  std::string first_bytes, second_bytes;

  bool has_values() const { return width != 0; }
};

// Returns the comparisons in the order of their first occurrence, values before byte strings. Does
// not trust the record.
std::vector<ComparedOperands> read_comparisons(const RunRecord& run);

// A change of an input: `length` bytes at `position` become `bytes`.
struct Substitution {
  std::size_t position = 0;
  std::size_t length = 0;
  std::string bytes;

  bool operator==(const Substitution&) const = default;
};

std::string apply(const Substitution& substitution, std::string_view input);

// Returns the distinct substitutions that the comparison suggests, the likeliest first, at most
// `most`. Each changes the input. A value is searched in either byte order, in its own width and in
// narrower ones that hold both values, and as a decimal number; where it is found, the other
// operand is put, or a neighbour of that. A value is also searched one higher and one lower, for a
// program that has added or subtracted one before it compared. An operand that stands in the code
// is not searched.
std::vector<Substitution> substitutions(std::string_view input, const ComparedOperands& comparison,
                                        std::size_t most = 256);

// Returns substitutions for a value that is compared with an operand in the code, and that the
// program may have computed from a decimal number of the input: such a number moves by the
// difference of the two, or by a part of it.
std::vector<Substitution> linear_substitutions(std::string_view input,
                                               const ComparedOperands& comparison,
                                               std::size_t most = 256);

}  // namespace rff
