// Emits the inline code before an access, which passes the access to a stub. This code can be
// placed anywhere: in a copy of the function, or in a trampoline of another rewriter.
#pragma once

#include <cstdint>

#include "instrument/builtin/code_buffer.h"
#include "instrument/builtin/stubs.h"
#include "instrument/site.h"

namespace rff::instrument::builtin {

inline constexpr std::int32_t kReturnAddress = 8;

// The inline code ends with mov esi, NUMBER and call STUB. These are the positions of the two
// operands, in bytes before the address to which the stub returns.
inline constexpr int kNumberBeforeReturn = 9;
inline constexpr int kDistanceBeforeReturn = 4;

// The points in the inline code before a site at which rsp moves, in bytes from its start.
struct InlineShape {
  std::uint8_t lowered_at = 0;
  std::uint8_t rdi_pushed_at = 0;
  std::uint8_t rsi_pushed_at = 0;
  std::uint16_t lowered_by = 0;
};

// Emits the inline code. The caller must emit the instruction itself right after it.
InlineShape emit_inline_hook(const Site& site, std::uint32_t number, const Stubs& stubs,
                             CodeBuffer& code);
// Emits the same for a thunk, entered by a call that replaces a call through memory.
InlineShape emit_thunk_hook(const Site& site, std::uint32_t number, const Stubs& stubs,
                            CodeBuffer& code);

}  // namespace rff::instrument::builtin
