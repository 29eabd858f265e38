// Builds the language-specific data for the copy of a function. Calls are not in the copy, but an
// instruction that faults is, and a signal handler may throw: the copy needs the landing pads and
// actions of the original.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "instrument/exception_table.h"

namespace rff::instrument::builtin {

struct CopiedRange {
  std::uint64_t begin;  // start of the copy
  // Returns where the copy of the first instruction at or after an address of the original begins.
  std::function<std::uint64_t(std::uint64_t)> copy_of;
};

// Returns the bytes of the table when it lies at `address`; empty if the original's table cannot be
// copied.
std::vector<std::uint8_t> copy_exception_table(const ElfFile& file, const ExceptionTable& table,
                                               const CopiedRange& range, std::uint64_t address);

}  // namespace rff::instrument::builtin
