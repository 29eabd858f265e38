// Whether the program asks the kernel or the processor for something while nobody else would
// notice: a system call that a library makes by itself, the processor's own clock.
//
// The kernel tells of both by signals (from Linux 5.11 on), which cost nothing until one comes.
#pragma once

#include <signal.h>

#include <cstdint>

#include "libsched/memory/modules.h"

namespace rff::outside_watch {

// The calling kernel thread is watched from now on, except for what the runtime itself calls.
// False: that cannot be done here.
bool begin(const Module& runtime);
void end();

// Something was asked for since the last call.
bool noticed();

// For the handler of signals: this one comes from here, and the instruction is to be executed
// again.
bool handle(int signal, const siginfo_t& info, std::uint64_t* rip);

}  // namespace rff::outside_watch
