// Describes a finding with functions and source lines, if debug information has them.
#pragma once

#include <string>

#include "fuzzer/debug/debug_info.h"
#include "schedule/schedule_file.h"

namespace rff {

// Returns where the finding happened: the innermost place that is the program's own.
Place finding_place(const Finding& finding, DebugInfo& debug);
// Returns whether a trace of the run with callers (DebugInfo::add_trace) would improve the text.
bool needs_callers(const Finding& finding, DebugInfo& debug);
// Like finding_words (fuzzer/common/finding_words.h).
std::string readable_finding(const Finding& finding, DebugInfo& debug);
// Like short_finding_words: without the kind, and not much longer than a thousand characters.
std::string readable_summary(const Finding& finding, DebugInfo& debug);

// Returns a sanitizer's report with functions and source lines instead of "(prog+0x1189)"; empty if
// there is none.
std::string readable_report(const Finding& finding, DebugInfo& debug);

}  // namespace rff
