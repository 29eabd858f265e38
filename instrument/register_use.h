// Describes the effect of one instruction on the general registers, one bit each (rax=1, rcx=2, …).
#pragma once

#include <Zydis/Zydis.h>

#include <cstdint>

namespace rff::instrument {

struct RegisterUse {
  std::uint16_t reads = 0;       // parts of them, too
  std::uint16_t changes = 0;     // parts of them, too, and perhaps
  std::uint16_t overwrites = 0;  // in all cases and as a whole, before anything is read
};

RegisterUse register_use_of(const ZydisDecodedInstruction& instruction,
                            const ZydisDecodedOperand* operands);

}  // namespace rff::instrument
