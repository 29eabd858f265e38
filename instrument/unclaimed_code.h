// Code that no unwind information and no symbol claims: start files, hand-written assembly.
#pragma once

#include "instrument/program.h"

namespace rff::instrument {

// Such code may hold data, so it is patched only if following every branch from the places that are
// known to be entered reaches all of it. Clears `left_alone` of those functions.
void ClaimReachableCode(Program& program);

}  // namespace rff::instrument
