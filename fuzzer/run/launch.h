// Builds the command line and environment that start a target through rff-launch, with its standard
// input and its libraries. Used for every start.
#pragma once

#include <string>

#include "fuzzer/run/child_process.h"
#include "schedule/schedule_file.h"

namespace rff {

// `way`: how the program gets the input of its schedule; the runs then begin before main.
ChildProcess::Command launch_command(const std::string& launcher, const Target& target,
                                     ProgramInput::Way way);

// Returns LD_LIBRARY_PATH for the program; empty: leave it unchanged.
std::string library_path(const Target& target);

}  // namespace rff
