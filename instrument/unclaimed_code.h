// Handles code that no unwind information and no symbol claims: start files, hand-written assembly.
#pragma once

#include "instrument/program.h"

namespace rff::instrument {

// Decides which unclaimed code to patch and clears its `left_alone`. Such code may hold data, so it
// is patched only if following every branch from the known entries reaches all of it. Otherwise
// reached code is separated from the rest and patched where no computed jump may lead. If some
// bytes do not decode at all, unreached code is taken for data: a table of constants decoded as
// code is full of false accesses.
void claim_reachable_code(Program& program);

}  // namespace rff::instrument
