// Inspects a long run from time to time, from a signal handler on a stack of the runtime. Short
// runs are unaffected: the timer counts processor time.
//
// Ends a run that exceeds its time limit and reports where its threads are. Single-steps a thread
// that executes no event for a second (endless_loop.h).
#pragma once

#include <cstdint>

#include "libsched/report/findings.h"
#include "libsched/support/watch_signal.h"

namespace rff::watchdog {

// Programs that use this signal themselves are not watched.
inline constexpr int kSignal = kWatchSignal;

// Call before the first run.
void install(Findings& findings, Execution& execution, const Modules& modules);
// Begins a run with this time limit (0: none), which counts from the first look at the run.
void start_run(std::uint32_t timeout_ms);
// Looks from now on, at the runs to come, too.
void keep_looking();
// Call when the program uses the signal itself.
void give_signal_up();
// Ends the run if its time is up. Call while nothing runs, since no processor time passes then.
void check_time();

}  // namespace rff::watchdog
