// What ends a run badly, and how it is told.
#pragma once

#include <signal.h>

#include <cstdint>
#include <string_view>

#include "libsched/engine/thread.h"
#include "schedule/schedule_file.h"

namespace rff::findings {

// Fatal signals of the target become findings (unless the target handles them itself).
void install_signal_handlers();
// The calling kernel thread handles faults on a stack of the runtime: they may be stack overflows.
void use_own_stack();
// Ours, in the program's way if it handles the signal itself (`program` not null).
void install_signal_handler(int signal, const struct sigaction* program);
// In children of the program.
void remove_signal_handlers();

[[noreturn]] void assertion(std::string_view message, CodeName place);
[[noreturn]] void aborted(const void* caller);
// The program has damaged the allocator's own memory, as found out by `function` of the C library.
[[noreturn]] void heap_damaged(int signal, const char* words, const void* function);
[[noreturn]] void deadlock();
[[noreturn]] void hang();
[[noreturn]] void bad_exit(int status, CodeName place);
// The program has sent itself a signal that ends it: no failure, that is how it wants to end.
[[noreturn]] void ended_by_signal(int signal);
// A replay cannot follow its decisions: says so, and lets the run go on.
void diverged(std::size_t index, const Decision& expected, const Thread* seen, std::size_t enabled);
// … but not without end.
[[noreturn]] void gave_up();

}  // namespace rff::findings
