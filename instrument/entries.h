// Where execution may enter a function other than by its own direct branches. Addresses are
// over-approximated: one that is never entered costs a few bytes of room, one that is missed breaks
// the program.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/program.h"

namespace rff::instrument {

// One flag per instruction of `program`. Functions whose entries cannot be established get
// `left_alone` set. Points after calls are not included: every call has one.
std::vector<bool> FindEntries(Program& program);

}  // namespace rff::instrument
