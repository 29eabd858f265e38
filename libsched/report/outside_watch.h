// Detects queries to the kernel that the interposers do not see: system calls that a library makes
// by itself.
//
// The kernel reports them by signals (since Linux 5.11), which cost nothing until one occurs.
#pragma once

#include <signal.h>

#include <cstdint>

#include "libsched/memory/modules.h"

namespace rff::outside_watch {

// Watches the calling kernel thread from now on, except for the runtime's own calls. Returns false
// if the system does not support it.
bool begin(const Module& runtime);
void end();

// Returns whether there was a query since the last call.
bool noticed();

// For signal handlers: returns whether the signal comes from this watch, in which case the
// instruction is executed again.
bool handle(int signal, const siginfo_t& info, std::uint64_t* rip);

}  // namespace rff::outside_watch
