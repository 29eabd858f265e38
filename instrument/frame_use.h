// Classifies how an instruction uses rsp and rbp, which locate its function's frame. An
// access to a frame can only come from other code if one of them got into another place.
#pragma once

#include <Zydis/Zydis.h>

#include <cstdint>

namespace rff::instrument {

enum FrameUse : std::uint8_t {
  kTakesRsp = 1,       // rsp, or an address computed from it, gets into another place than rsp
  kTakesRbp = 2,       // the same for rbp
  kMovesRspToRbp = 4,  // begins the use of rbp as frame pointer
  kMovesRsp = 8,       // by something else than a push, a pop, a constant, or back to rbp
  kMovesRbp = 16,      // by something else than a pop, leave, or from rsp
  kPushesRbp = 32,     // saves what it holds, unless it is the frame pointer already
  kPopsToMemory = 64,  // whose operand is relative to rsp after the pop
};

// Returns a combination of FrameUse.
std::uint8_t frame_use_of(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands);

}  // namespace rff::instrument
