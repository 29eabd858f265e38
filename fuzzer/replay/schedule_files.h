// Reads and writes the files of rff-replay: schedules and the folders of findings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "schedule/schedule_file.h"

namespace rff {

// Returns the schedule file for `path`: the file itself, or the schedule in the folder of a finding
// or of a campaign with one finding.
std::string schedule_file(const std::string& path);
// Returns the findings in a campaign's folder, in order; empty if `path` is not such a folder.
std::vector<std::string> findings_of(const std::string& path);
// Throws ToolError (2) if the file cannot be read or is no schedule.
Schedule load_schedule(const std::string& path);

// Both throw ToolError (2). Call the first one before minutes of work.
void check_writable(const std::string& path);
void write_or_throw(const std::string& path, const std::string& bytes);

// rff-fuzz writes a minimized schedule beside the one it found, which is easier to read. Returns
// the minimized one if it has fewer switches.
std::optional<Schedule> simpler_schedule(const std::string& path, const Schedule& schedule,
                                         DebugInfo& debug);
// Counts the switches of the recorded run.
std::size_t switches(const Finding& finding);

}  // namespace rff
