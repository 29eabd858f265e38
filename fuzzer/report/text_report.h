// What rff-replay prints for people.
#pragma once

#include <string>

#include "fuzzer/explain/explanation.h"
#include "fuzzer/replay/target_locator.h"
#include "fuzzer/explain/verdict.h"

namespace rff {

struct Report {
  const Schedule& schedule;
  const LocatedTarget& target;
  const Run& run;
  const Comparison& comparison;
  const Explanation* explanation;  // null if the run did not fail
};

std::string text_report(const Report& report, DebugInfo& debug);
// The whole interleaving (--trace), one event a line.
std::string trace_text(const Run& run, DebugInfo& debug);

}  // namespace rff
