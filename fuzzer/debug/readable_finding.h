// The words for a finding with functions and source lines, where debug information knows them.
#pragma once

#include <string>

#include "fuzzer/debug/debug_info.h"
#include "schedule/schedule_file.h"

namespace rff {

// Where it happened: the innermost place that is the program's own.
Place finding_place(const Finding& finding, DebugInfo& debug);
// Whether the words would say more with a trace of the run (DebugInfo::add_trace) that has callers.
bool needs_callers(const Finding& finding, DebugInfo& debug);
// As finding_words (fuzzer/common/finding_words.h).
std::string readable_finding(const Finding& finding, DebugInfo& debug);
// As short_finding_words: without the kind, and not much longer than a thousand characters.
std::string readable_summary(const Finding& finding, DebugInfo& debug);

// The report of a sanitizer with functions and source lines instead of "(prog+0x1189)"; empty if
// there is none.
std::string readable_report(const Finding& finding, DebugInfo& debug);

}  // namespace rff
