// The inputs of a campaign: where they come from, and what the plain run gets of them.
#pragma once

#include <string>

#include "fuzzer/campaign/options.h"
#include "fuzzer/campaign/output_folder.h"
#include "fuzzer/common/input_plan.h"
#include "fuzzer/run/target_file.h"
#include "schedule/schedule_file.h"

namespace rff {

// Reads the first inputs and the dictionaries that the options name. A program with properties has
// inputs also if the options name none. A resumed campaign goes on with its own. Throws ToolError.
InputPlan plan_inputs(const Options& options, const TargetFile& file, const OutputFolder& output);

// The file of the output folder in which instances find the plan.
std::string write_input_plan(const InputPlan& plan, const OutputFolder& output);

// Gives a target, for the plain run, the first input by way of a file in the output folder.
// Returns the environment variable to set, as NAME=VALUE; empty: none.
std::string give_first_input(const InputPlan& plan, const OutputFolder& output, Target& target);

}  // namespace rff
