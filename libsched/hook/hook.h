// Connects the hook slots of patched modules to the runtime.
#pragma once

#include "libsched/memory/modules.h"

namespace rff::hook {

// Before the run: only what looks at the world (clocks, random numbers, system calls) is seen.
void connect_world(PatchedModule& m);
void connect(PatchedModule& m);
void disconnect(PatchedModule& m);

}  // namespace rff::hook
