// One self-contained page that shows a run: threads as columns, events in order, arrows for values
// that went from thread to thread.
#pragma once

#include <string>

#include "fuzzer/report/text_report.h"

namespace rff {

std::string html_report(const Report& report, DebugInfo& debug);

}  // namespace rff
