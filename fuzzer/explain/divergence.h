// Describes where a run diverges from the run that it should repeat. The functions differ in the
// evidence they use; all return an empty string if they find no difference.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"

namespace rff {

// Uses the runtime's note of the first of `decisions` that it could not follow. `recorded`
// describes what the recorded run did at each decision, if known.
std::string noted_divergence(const Run& run, std::size_t decisions, DebugInfo& debug,
                             const std::vector<std::string>& recorded);
// Finds the first traced event that differs.
std::string divergence_of_traces(const Trace& one, const Trace& other, DebugInfo& debug);
// Compares the decisions and the outcomes; needs no trace.
std::string divergence_of_runs(const Finding& expected, const Run& seen);

// Returns "read of `a` at reorder.c:21".
std::string event_text(const AbstractEvent& e, DebugInfo& debug);

}  // namespace rff
