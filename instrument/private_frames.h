// Finds accesses that only their own function's activation can make: to slots of its frame whose
// address the function gives to nobody. Other threads cannot reach them, so they need no hook.
//
// A function may have such slots if its unwind information locates the frame everywhere, no
// instruction lets an address of the frame get into another register or into memory, and no code
// outside the function works in the same frame. A slot qualifies if the function itself both writes
// and reads it: what it only writes may be an argument for a function that it calls.
#pragma once

#include "instrument/program.h"

namespace rff::instrument {

// Sets Site::private_to_frame.
void find_private_frames(Program& program);

}  // namespace rff::instrument
