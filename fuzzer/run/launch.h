// How a target is started, whoever starts it: rff-launch in front, and the variables by which it
// gives the program its standard input and its libraries.
#pragma once

#include <string>

#include "fuzzer/run/child_process.h"
#include "schedule/schedule_file.h"

namespace rff {

ChildProcess::Command launch_command(const std::string& launcher, const Target& target);

// LD_LIBRARY_PATH for the program; empty: as it is.
std::string library_path(const Target& target);

}  // namespace rff
