// Where a run leaves the run that it should repeat, in words. Each function uses other evidence;
// all return an empty string if they see no difference.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"

namespace rff {

// The runtime's own note of the first of `decisions` that it could not follow. `recorded`: what the
// recorded run did at each decision, in words, where that is known.
std::string noted_divergence(const Run& run, std::size_t decisions, DebugInfo& debug,
                             const std::vector<std::string>& recorded);
// The first event that differs, among those that were traced.
std::string divergence_of_traces(const Trace& one, const Trace& other, DebugInfo& debug);
// The decisions and how the runs ended; needs no trace.
std::string divergence_of_runs(const Finding& expected, const Run& seen);

// "read of `a` at reorder.c:21"
std::string event_text(const AbstractEvent& e, DebugInfo& debug);

}  // namespace rff
