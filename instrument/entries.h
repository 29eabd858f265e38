// Where execution may enter a function other than by its own direct branches. Addresses are
// over-approximated: one that is never entered costs a few bytes of room, one that is missed breaks
// the program.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/program.h"

namespace rff::instrument {

// Whether an instruction takes the address of code, and whether one adds something to an address to
// which is jumped thereafter.
bool takes_label(const Program& program, std::uint32_t instruction);
bool computes_jump(const Program& program, std::uint32_t instruction);
// How far apart the two may be, in code that nothing divides into functions.
inline constexpr std::uint32_t kFarthestLabel = 64;

// One flag per instruction of `program`. Functions whose entries cannot be established get
// `left_alone` set. Points after calls are not included: every call has one.
std::vector<bool> find_entries(Program& program);

}  // namespace rff::instrument
