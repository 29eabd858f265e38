// Fatal signals of the program become findings, unless the program handles them itself.
#pragma once

#include <signal.h>

#include <cstdint>

#include "libsched/report/findings.h"

namespace rff::faults {

// What signals mean to the program.
struct SignalPolicy {
  // Signals that the runtime needs itself.
  bool (*ours)(int signal);
  bool (*program_handles)(int signal);
  // Calls the program's handler. False if it has none.
  bool (*deliver)(int signal, siginfo_t* info, void* context);
  // False if another process sent it that has nothing to do with the run.
  bool (*from_within)(const siginfo_t& info);
  // Whether the address is in an object that the program gave the runtime to work on.
  bool (*in_object)(std::uint64_t address);
};

void install(Findings& findings, const Modules& modules, const SignalPolicy& policy);
// The calling kernel thread handles faults on a stack of the runtime: they may be stack overflows.
void use_own_stack();
// Ours, in the program's way if it handles the signal itself (`program` not null).
void install_handler(int signal, const struct sigaction* program);
// A signal that the program does not handle came while it was at `context` (of a handler).
[[noreturn]] void end_program(int signal, const void* context);
// Whether that was in the program's own code, where nothing of the runtime is under way.
bool in_program(const void* context);
// In children of the program.
void remove_handlers();

}  // namespace rff::faults
