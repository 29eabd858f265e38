// What one instruction does to the arithmetic flags, as far as it matters for keeping them: where
// they are overwritten before anything can see them, whatever is called in between may change them.
#pragma once

#include <Zydis/Zydis.h>

#include <cstdint>

namespace rff::instrument {

inline constexpr std::uint16_t kArithmeticFlags = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF |
                                                  ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |
                                                  ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;

struct FlagEffect {
  bool may_show = true;           // somebody may look at them, now or where execution goes on
  std::uint16_t overwritten = 0;  // those that it always sets, whatever they were
};

FlagEffect flag_effect_of(const ZydisDecodedInstruction& instruction);

}  // namespace rff::instrument
