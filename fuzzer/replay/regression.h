// Bugs that stay fixed: exports findings to files that survive rebuilds, and runs a folder of them
// against a program.
#pragma once

#include <string>

#include "fuzzer/replay/options.h"
#include "fuzzer/replay/regression_file.h"
#include "fuzzer/run/runner.h"

namespace rff {

// Describes a finding by names. `run` is the run of the schedule, with its trace. Throws ToolError
// (2) for schedules that cannot be described so.
RegressionFile make_regression(const Schedule& schedule, const Run& run, DebugInfo& debug);

// Runs what the folder holds against the program of the options. Returns the exit status: 1 if a
// run failed, 3 (with --strict) or --skip-status if a file fits this build too little to judge.
int check_regressions(const ReplayOptions& options);

}  // namespace rff
