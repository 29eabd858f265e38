// Before the first schedule: the program checked and patched, its standard input in a file.
#pragma once

#include <string>

#include "fuzzer/campaign/options.h"
#include "fuzzer/campaign/output_folder.h"
#include "fuzzer/run/installation.h"
#include "fuzzer/run/target_file.h"
#include "schedule/schedule_file.h"

namespace rff {

struct Prepared {
  Target target;         // target.path: the patched program
  std::string original;  // what the user named
  std::string plain;     // what to run for a run without us
};

// Throws ToolError. Says on standard output what it did, unless options.quiet.
Prepared prepare_target(const Options& options, const Installation& installation,
                        const TargetFile& file, const OutputFolder& output);

}  // namespace rff
