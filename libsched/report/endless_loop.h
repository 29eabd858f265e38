// Detects threads that loop forever without executing an event.
//
// A thread in patched code that executes no event accesses no shared memory; for example, the
// compiler may have hoisted a load out of a loop. Such a thread is single-stepped. If its registers
// and its stack repeat, it loops forever whatever the others do: it then stops for good
// (kLoopsForEver), and the other threads run.
#pragma once

#include <ucontext.h>

#include "libsched/engine/execution.h"
#include "libsched/memory/modules.h"

namespace rff {

// The wait of a thread that loops forever; never enabled.
extern const WaitRule kLoopsForEver;

namespace endless_loop {

// Call from a signal handler entered with these registers. Single-steps the current thread if it is
// in patched code.
void follow(Execution& execution, const Modules& modules, ucontext_t& registers);

}  // namespace endless_loop
}  // namespace rff
