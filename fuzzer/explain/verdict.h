// Compares the run of a replay with the run that its schedule recorded.
#pragma once

#include <string>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"
#include "schedule/schedule_file.h"

namespace rff {

enum class Verdict {
  kReproduced,    // the recorded failure, or any failure if none was recorded
  kNothingFound,  // the program ended normally
  kOtherFailure,  // the program failed differently
  kDiverged,      // the decisions could not be followed, and the failure did not occur
  kDidNotEnd,     // ended by the time limit
  // On another build than the recorded one:
  kNotReproduced,  // most of the recorded events exist, but do not lead to the failure
  kCannotJudge,    // too few of the recorded events exist
};

struct Comparison {
  Verdict verdict = Verdict::kNothingFound;
  bool identical = false;  // event by event, values included
  std::string divergence;  // the first difference, in words; empty if there is none

  ExitStatus exit_status() const;
};

// `expected` describes what the recorded run did at each decision, if known.
Comparison compare(const Schedule& schedule, const Run& run, DebugInfo& debug,
                   const std::vector<std::string>& expected = {});
std::string_view verdict_name(Verdict v);

}  // namespace rff
