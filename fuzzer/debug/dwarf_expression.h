// Evaluates the DWARF expressions that call frame information is made of.
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

// What the expression leaves. `is_location`: that is an address to load from; false: the value
// itself.
std::optional<std::uint64_t> evaluate(const Dwarf_Op* ops, std::size_t count,
                                      const ExpressionContext& context, bool* is_location);

}  // namespace rff
