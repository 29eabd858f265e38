// Writes a recorded run as a string of bytes for the scheduler that takes its decisions from one
// (--to-bytes).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/replay/activity.h"
#include "fuzzer/run/runner.h"
#include "schedule/schedule_file.h"

namespace rff {

// Returns the decisions of a run under these bytes. After the last byte the first thread goes on.
using RunUnderBytes = std::function<std::vector<Decision>(const std::string& bytes)>;

// Returns the shortest bytes that it finds under which a run makes the wanted decisions. The first
// bytes are found before the later ones, each by trying. `threads`: that there are at most. Returns
// nothing if no bytes lead there, for example if a thread was chosen that the scheduler would not
// have been asked about.
std::optional<std::string> bytes_for(const std::vector<Decision>& wanted, unsigned threads,
                                     const RunUnderBytes& run);

// Returns such bytes for a run of the schedule. `original`: the program before it was patched for
// this replay. `stay`: how they are read (see rff-fuzz
// --help-schedulers). Throws ToolError if there are none.
std::string bytes_of_run(const Schedule& schedule, const Run& run, const std::string& original,
                         std::uint32_t stay, Runner& runner, Activity& activity);

}  // namespace rff
