// Runs a campaign in an output folder, and leaves there how it ended, for rff-report.
#pragma once

#include <functional>

#include "fuzzer/campaign/options.h"
#include "fuzzer/campaign/output_folder.h"
#include "fuzzer/common/tool_error.h"

namespace rff {

// Calls `campaign`, writes outcome.json and what the options ask for, and returns its status.
// Errors of `campaign` are thrown on after that. If a campaign that found nothing could not be
// exported, the status is 2: its result would be missing where it is looked for.
ExitStatus run_and_conclude(const Options& options, const OutputFolder& output,
                            const std::function<ExitStatus()>& campaign);

}  // namespace rff
