// Prepares the program before the first schedule: checks and patches it and stores its standard
// input in a file.
#pragma once

#include <string>

#include "fuzzer/campaign/options.h"
#include "fuzzer/campaign/output_folder.h"
#include "fuzzer/common/input_plan.h"
#include "fuzzer/run/installation.h"
#include "fuzzer/run/target_file.h"
#include "schedule/schedule_file.h"

namespace rff {

struct Prepared {
  Target target;                // target.path: the patched program
  std::string original;         // the program that the user named
  std::string plain;            // the program for the plain run
  std::vector<StopRule> stops;  // the stop points of the options, in this program
  InputPlan inputs;
};

// Whether the program is to report control flow and comparisons: rff-instrument --branches.
bool wants_branches(const InputPlan& inputs);

// Throws ToolError. Prints its actions to standard output unless options.quiet.
Prepared prepare_target(const Options& options, const Installation& installation,
                        const TargetFile& file, const OutputFolder& output);

}  // namespace rff
