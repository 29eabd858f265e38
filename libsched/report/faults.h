// Turns the program's fatal signals into findings, unless the program handles them itself.
#pragma once

#include <signal.h>

#include <cstdint>

#include "libsched/report/findings.h"

namespace rff::faults {

// How the program and the runtime use signals.
struct SignalPolicy {
  // Whether the runtime needs the signal itself.
  bool (*ours)(int signal);
  bool (*program_handles)(int signal);
  // Calls the program's handler. Returns false if it has none.
  bool (*deliver)(int signal, siginfo_t* info, void* context);
  // Returns false if an unrelated process sent the signal.
  bool (*from_within)(const siginfo_t& info);
  // Returns whether the address is in an object that the program passed to the runtime.
  bool (*in_object)(std::uint64_t address);
  // Answers an instruction that faulted because it asks the processor (instruction_traps.h), and
  // goes on behind it. Returns false if it is none; null: there are none.
  bool (*answers)(void* context) = nullptr;
};

void install(Findings& findings, const Modules& modules, const SignalPolicy& policy);
// Installs the runtime's handler, with the flags of `program` if the program handles the signal
// itself (not null).
void install_handler(int signal, const struct sigaction* program);
// Reports a signal that the program does not handle. `context`: the handler's argument.
[[noreturn]] void end_program(int signal, const void* context);
// Returns the stack pointer of what the signal interrupted.
std::uint64_t interrupted_at(const void* context);
// The same for its next instruction.
std::uint64_t interrupted_in(const void* context);
// Returns whether the signal interrupted the program's own code, not the runtime's.
bool in_program(const void* context);
// For children of the program.
void remove_handlers();

}  // namespace rff::faults
