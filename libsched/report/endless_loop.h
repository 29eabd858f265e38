// A thread in patched code that executes no event accesses no memory that others see: a loop of
// which the compiler has moved the load out, for one. It is followed instruction by instruction. If
// its registers and its stack are what they were before, it goes on like that for ever, whatever
// the others do: then it stops, and never goes on (kLoopsForEver), and the others run.
#pragma once

#include <ucontext.h>

#include "libsched/engine/execution.h"
#include "libsched/memory/modules.h"

namespace rff {

// Such a thread waits for this.
extern const WaitRule kLoopsForEver;

namespace endless_loop {

// For a signal handler that was entered with these registers: follows the current thread from where
// it is, if that is in patched code.
void follow(Execution& execution, const Modules& modules, ucontext_t& registers);

}  // namespace endless_loop
}  // namespace rff
