// The program's own handlers of the signals that would otherwise become findings.
#pragma once

#include <signal.h>

namespace rff::signals {

// Signals that the runtime needs itself: its handler stays installed and passes them on.
bool ours(int signal);
bool program_handles(int signal);
// Calls the program's handler. False if it has none.
bool deliver(int signal, siginfo_t* info, void* context);

}  // namespace rff::signals
