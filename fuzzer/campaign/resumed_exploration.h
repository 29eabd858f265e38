// A systematic search that goes on: what must be the same as before, and how far it was.
#pragma once

#include <optional>

#include "fuzzer/campaign/options.h"
#include "fuzzer/campaign/output_folder.h"
#include "fuzzer/campaign/preparation.h"
#include "fuzzer/common/exploration_file.h"
#include "fuzzer/run/installation.h"

namespace rff {

ExplorationIdentity exploration_identity(const Options& options, const Installation& installation,
                                         const Prepared& prepared, bool exit_is_finding);

// Reads the file of an output folder; there is none if the search was stopped very early. Throws
// ToolError (2) if the search cannot go on from it.
std::optional<ExplorationFile> exploration_to_resume(const OutputFolder& output,
                                                     const Options& options,
                                                     const ExplorationIdentity& now);

}  // namespace rff
