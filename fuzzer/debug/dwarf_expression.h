// Evaluates the DWARF expressions that occur in call frame information.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace rff {

struct ExpressionContext {
  std::function<std::optional<std::uint64_t>(unsigned)> reg;          // DWARF register number
  std::function<std::optional<std::uint64_t>(std::uint64_t)> memory;  // 8 bytes at an address
  std::optional<std::uint64_t> cfa;
};

// Returns the result of the expression; nothing if it is unknown. `is_location`: true if the result
// is an address to load from, false if it is the value itself.
std::optional<std::uint64_t> evaluate(const Dwarf_Op* ops, std::size_t count,
                                      const ExpressionContext& context, bool* is_location);

}  // namespace rff
