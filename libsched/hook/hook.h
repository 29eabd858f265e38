// What the hook slots of patched modules lead to.
#pragma once

#include "libsched/memory/modules.h"

namespace rff::hook {

// Where patched code enters the runtime.
const HookEntries& entries();

}  // namespace rff::hook
