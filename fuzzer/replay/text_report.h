// What rff-replay prints for people.
#pragma once

#include <string>

#include "fuzzer/replay/explanation.h"
#include "fuzzer/replay/target_locator.h"
#include "fuzzer/replay/verdict.h"

namespace rff {

struct Report {
  const Schedule& schedule;
  const LocatedTarget& target;
  const Run& run;
  const Comparison& comparison;
  const Explanation* explanation;  // null if the run did not fail
};

std::string text_report(const Report& report, DebugInfo& debug);
// The schedule itself (--show).
std::string schedule_text(const Schedule& schedule, DebugInfo& debug);
// The whole interleaving (--trace), one event a line.
std::string trace_text(const Run& run, DebugInfo& debug);

std::string constraint_text(const Constraint& c, DebugInfo& debug);
std::string command_text(const Target& target);

}  // namespace rff
