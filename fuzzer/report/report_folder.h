// Writes the report of a finding as files beside its schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fuzzer/report/finding_report.h"

namespace rff {

// Writes report.txt, report.json, report.html (one per format) and output.txt. Throws ToolError
// (3).
void write_report_folder(const std::string& folder, const FindingReport& report);

// Reads the number of the campaign's first such schedule from the report; nothing if there is none.
std::optional<std::uint64_t> noted_first_schedule(const std::string& folder);

}  // namespace rff
