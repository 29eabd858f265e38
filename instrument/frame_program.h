// Parses the call frame instructions of one function: which rule changes at which address, and how
// the canonical frame address (CFA) is defined there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "instrument/eh_frame.h"

namespace rff::instrument {

// How the CFA is found: an offset from a register.
struct Cfa {
  enum Base : std::uint8_t { kRsp, kRbp, kOther };
  Base base = kOther;
  std::int64_t offset = 0;
};

struct FrameStep {
  std::uint64_t at;                 // the instruction applies from this address on
  std::vector<std::uint8_t> bytes;  // one instruction, as in the file
  Cfa cfa;                          // after this instruction
};

struct FrameProgram {
  Cfa cfa;  // after the common instructions
  std::vector<FrameStep> steps;
};

// Returns nothing if an instruction is unknown.
std::optional<FrameProgram> read_frame_program(const ElfFile& file, const CommonInfo& common,
                                               const FrameInfo& frame);

}  // namespace rff::instrument
