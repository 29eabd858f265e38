// Emits the inline code before a block and before a comparison, for --branches.
#pragma once

#include <cstdint>

#include "instrument/branch_sites.h"
#include "instrument/builtin/code_buffer.h"
#include "instrument/builtin/inline_hook.h"
#include "instrument/builtin/stubs.h"

namespace rff::instrument::builtin {

InlineShape emit_block_hook(bool flags_dead, std::uint32_t number, const Stubs& stubs,
                            CodeBuffer& code);
// The caller must emit the comparison right after it, so that the flags are dead here.
InlineShape emit_comparison_hook(const ComparedOperands& operands, std::uint32_t number,
                                 const Stubs& stubs, CodeBuffer& code);

}  // namespace rff::instrument::builtin
