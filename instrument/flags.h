// Describes the effect of one instruction on the arithmetic flags. If they are overwritten before
// they are read, a hook called in between need not preserve them.
#pragma once

#include <Zydis/Zydis.h>

#include <cstdint>

namespace rff::instrument {

inline constexpr std::uint16_t kArithmeticFlags = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF |
                                                  ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |
                                                  ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;

struct FlagEffect {
  bool may_show = true;           // code may read the flags, here or where execution continues
  std::uint16_t overwritten = 0;  // flags that the instruction sets in all cases
};

FlagEffect flag_effect_of(const ZydisDecodedInstruction& instruction);

}  // namespace rff::instrument
