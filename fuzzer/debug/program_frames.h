// The program's own frames in a stack, among those of libraries.
#pragma once

#include <vector>

#include "fuzzer/debug/debug_info.h"

namespace rff {

// The program's own frames, innermost first, up to the first one that does more than to forward to
// what it calls. Empty if no frame is the program's. `frames` are as in FailureStack. `called`:
// they are return addresses.
std::vector<Place> responsible_frames(const std::vector<CodeName>& frames, DebugInfo& debug,
                                      bool called = false);

}  // namespace rff
