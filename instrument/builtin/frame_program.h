// The call frame instructions of one function, taken apart: what changes at which address, and how
// the canonical frame address is defined there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "instrument/eh_frame.h"

namespace rff::instrument::builtin {

struct FrameStep {
  std::uint64_t at;                 // from this address on
  std::vector<std::uint8_t> bytes;  // one instruction, as in the file
  bool cfa_on_rsp;                  // afterwards: CFA = rsp + cfa_offset
  std::uint64_t cfa_offset;
};

struct FrameProgram {
  bool cfa_on_rsp = false;  // after the common instructions
  std::uint64_t cfa_offset = 0;
  std::vector<FrameStep> steps;
};

// Nothing if an instruction is not understood.
std::optional<FrameProgram> read_frame_program(const ElfFile& file, const CommonInfo& common,
                                               const FrameInfo& frame);

}  // namespace rff::instrument::builtin
