// Parses the call frame instructions of one function: which rule changes at which address, and how
// the canonical frame address (CFA) is defined there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "instrument/eh_frame.h"

namespace rff::instrument::builtin {

struct FrameStep {
  std::uint64_t at;                 // the instruction applies from this address on
  std::vector<std::uint8_t> bytes;  // one instruction, as in the file
  bool cfa_on_rsp;                  // after this instruction: CFA = rsp + cfa_offset
  std::uint64_t cfa_offset;
};

struct FrameProgram {
  bool cfa_on_rsp = false;  // after the common instructions
  std::uint64_t cfa_offset = 0;
  std::vector<FrameStep> steps;
};

// Returns nothing if an instruction is unknown.
std::optional<FrameProgram> read_frame_program(const ElfFile& file, const CommonInfo& common,
                                               const FrameInfo& frame);

}  // namespace rff::instrument::builtin
