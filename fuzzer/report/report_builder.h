// Builds the report that all formats write from a run and the results of its analysis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzzer/report/finding_report.h"
#include "fuzzer/run/run.h"

namespace rff {

struct ReportInput {
  const Schedule& schedule;  // its target is the one that was run
  const Run& run;
  DebugInfo& debug;
  Comparison comparison;
  std::optional<Explanation> explanation;
  std::vector<std::string> notes;
  bool rebuilt = false;
  bool input_changed = false;
  bool whole_trace = false;
  std::optional<std::uint64_t> first_schedule = {};
};

// The report refers to the run and to the debug information: both must live as long.
FindingReport build_report(ReportInput input);

}  // namespace rff
