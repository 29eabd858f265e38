// The files that rff-replay reads and writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "schedule/schedule_file.h"

namespace rff {

// A finding's folder stands for the schedule in it; so does that of a campaign with one finding.
std::string schedule_file(const std::string& path);
// The findings in the folder of a campaign, in their order; empty if `path` is none.
std::vector<std::string> findings_of(const std::string& path);
// Throws ToolError (2): it cannot be read, or is no schedule.
Schedule load_schedule(const std::string& path);

// Both throw ToolError (2). The first one is for knowing before minutes of work.
void check_writable(const std::string& path);
void write_or_throw(const std::string& path, const std::string& bytes);

// rff-fuzz leaves a minimized schedule beside the one it found, which is the easier one to read:
// that one, if it has fewer switches.
std::optional<Schedule> simpler_schedule(const std::string& path, const Schedule& schedule,
                                         DebugInfo& debug);
// Counts the switches of the recorded run.
std::size_t switches(const Finding& finding);

}  // namespace rff
