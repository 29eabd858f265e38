// Builds the command line and environment that start a target through rff-launch, with its standard
// input and its libraries. Used for every start.
#pragma once

#include <string>

#include "fuzzer/run/child_process.h"
#include "schedule/schedule_file.h"

namespace rff {

// `input`: how the program gets the input of its schedule; the runs then begin before main. Its
// bytes do not matter.
ChildProcess::Command launch_command(const std::string& launcher, const Target& target,
                                     const ProgramInput& input);

// Returns LD_LIBRARY_PATH for the program; empty: leave it unchanged.
std::string library_path(const Target& target);

}  // namespace rff
