// Finds the program's own frames in a stack, among those of libraries.
#pragma once

#include <vector>

#include "fuzzer/debug/debug_info.h"

namespace rff {

// Returns the program's own frames, innermost first, up to the first one that does more than
// forward to the functions it calls. Empty if no frame is the program's. `frames`: as in
// FailureStack. `called`: the frames are return addresses.
std::vector<Place> responsible_frames(const std::vector<CodeName>& frames, DebugInfo& debug,
                                      bool called = false);

}  // namespace rff
