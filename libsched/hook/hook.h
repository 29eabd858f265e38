// Connects the hook slots of patched modules to the runtime.
#pragma once

#include "libsched/memory/modules.h"

namespace rff::hook {

void connect(PatchedModule& m);
void disconnect(PatchedModule& m);

}  // namespace rff::hook
