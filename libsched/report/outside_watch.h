// Detects queries to the kernel or the processor that the interposers do not see: a system call
// that a library makes by itself, or the processor's clock.
//
// The kernel reports both by signals (since Linux 5.11), which cost nothing until one occurs.
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
