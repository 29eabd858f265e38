// Code that no unwind information and no symbol claims: start files, hand-written assembly.
#pragma once

#include "instrument/program.h"

namespace rff::instrument {

// Such code may hold data, so it is patched only if following every branch from the places that are
// known to be entered reaches all of it; else what is reached is divided from what is not, and
// patched where no computed jump may lead. Clears `left_alone` of those functions. Where some bytes
// are no instruction at all, what is not reached is taken for data: a table of constants decoded as
// code is full of accesses that are none.
void claim_reachable_code(Program& program);

}  // namespace rff::instrument
