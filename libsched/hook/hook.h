// The functions that the hook slots of patched modules call.
#pragma once

#include "libsched/memory/modules.h"

namespace rff::hook {

// Returns the entry points of patched code into the runtime.
const HookEntries& entries();

}  // namespace rff::hook
