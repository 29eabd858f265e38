// Reads the language-specific data of a function, which C++, Rust and C with clean-ups use: it maps
// instructions to landing pads and actions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "instrument/eh_frame.h"

namespace rff::instrument {

struct CallSite {
  std::uint64_t begin = 0;  // start of the code covered
  std::uint64_t end = 0;
  std::uint64_t pad = 0;     // distance from ExceptionTable::pad_base; 0 if there is none
  std::uint64_t action = 0;  // 1 + offset into the action table; 0 if there is none
};

struct ExceptionTable {
  std::uint64_t pad_base = 0;
  std::uint8_t type_encoding = 0xff;
  std::uint64_t types_end = 0;  // types are counted down from here; lists of them follow
  std::uint64_t actions = 0;    // address of the action table
  std::vector<CallSite> sites;
};

// Returns nothing if the function has none or it cannot be parsed.
std::optional<ExceptionTable> read_exception_table(const ElfFile& file, const FrameInfo& frame);

}  // namespace rff::instrument
