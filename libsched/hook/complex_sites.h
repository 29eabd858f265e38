// Sites whose accesses depend on more than one address: string and vector instructions,
// compare-exchange, and instructions that query the machine (system calls, time stamps, random
// numbers).
#pragma once

#include "libsched/memory/modules.h"

namespace rff::hook {

// Returns a ComplexResult.
int complex_site(PatchedModule& m, std::uint32_t site, HookRegisters& registers);

}  // namespace rff::hook
