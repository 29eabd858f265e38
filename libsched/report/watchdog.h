// Looks at a run that takes long, now and then, from a signal handler on a stack of the runtime. Of
// a short run nothing is seen: the timer counts processor time.
//
// A run that does not end in time is ended, and it is said where its threads are. A thread that
// executes no event for a second is followed instruction by instruction (endless_loop.h).
#pragma once

#include <cstdint>

#include "libsched/report/findings.h"
#include "libsched/support/watch_signal.h"

namespace rff::watchdog {

// A program that uses this signal itself is not looked at.
inline constexpr int kSignal = kWatchSignal;

// Before the first run: where its parts will be.
void install(Findings& findings, Execution& execution, const Modules& modules);
// A run begins that may take so long (0: for ever).
void start_run(std::uint32_t timeout_ms);
// The program wants the signal for itself.
void give_signal_up();
// While nothing runs, and so no processor time passes: ends the run if it is time.
void check_time();

}  // namespace rff::watchdog
