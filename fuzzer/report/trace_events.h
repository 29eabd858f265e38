// Writes a run as trace events, the format of Chromium's and Perfetto's timelines and of
// speedscope.
#pragma once

#include <string>

#include "fuzzer/report/finding_report.h"

namespace rff {

// One microsecond is one step of the run. Each event is a slice of its thread, a thread that cannot
// go on has a slice for that, and arrows lead from writes to the reads that saw them.
std::string write_trace_events(const FindingReport& report);

}  // namespace rff
