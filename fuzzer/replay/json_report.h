// The report for machines, and the data behind the page.
#pragma once

#include <string>

#include "fuzzer/replay/text_report.h"

namespace rff {

// `all_events`: the whole interleaving too.
std::string json_report(const Report& report, DebugInfo& debug, bool all_events);
// What the page needs: all events, in short keys, and the source lines around them.
std::string page_data(const Report& report, DebugInfo& debug);

}  // namespace rff
