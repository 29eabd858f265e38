// Lists where the threads of a program can stop (rff-fuzz --list-stop-points).
#pragma once

#include <string>

#include "fuzzer/campaign/options.h"
#include "fuzzer/campaign/preparation.h"
#include "fuzzer/run/installation.h"

namespace rff {

// Runs the program and returns one line for each stop point: how often it was passed, the
// operation, the place, the function and the variable. Without chosen ones these are thread
// primitives, accesses that may race and entries of functions.
std::string list_stop_points(const Options& options, const Installation& installation,
                             const Prepared& prepared);

}  // namespace rff
