// Finds where execution may enter a function other than by its own direct branches. The result is
// an over-approximation: an entry that is never used costs a few bytes of room, a missed one breaks
// the program.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/program.h"

namespace rff::instrument {

// Return whether an instruction takes the address of code, and whether it adds to an address that
// is then jumped to.
bool takes_label(const Program& program, std::uint32_t instruction);
bool computes_jump(const Program& program, std::uint32_t instruction);
// The greatest distance between the two, in instructions, in code without function boundaries.
inline constexpr std::uint32_t kFarthestLabel = 64;

// Returns one flag per instruction of `program`. Functions whose entries cannot be determined get
// `left_alone` set. Points after calls are not included: every call has one.
std::vector<bool> find_entries(Program& program);

}  // namespace rff::instrument
