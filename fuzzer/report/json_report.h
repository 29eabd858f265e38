// The report for machines; json.md says what its fields mean.
#pragma once

#include <string>

#include "fuzzer/report/text_report.h"

namespace rff {

// `all_events`: the whole interleaving too.
std::string json_report(const Report& report, DebugInfo& debug, bool all_events);

}  // namespace rff
