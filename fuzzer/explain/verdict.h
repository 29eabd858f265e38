// What a replay showed, compared with what its schedule had recorded.
#pragma once

#include <string>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"
#include "schedule/schedule_file.h"

namespace rff {

enum class Verdict {
  kReproduced,    // the recorded failure; or, where none was recorded, a failure
  kNothingFound,  // the program ended by itself
  kOtherFailure,  // it failed, but differently
  kDiverged,      // the decisions could not be followed, and the failure did not come
  kDidNotEnd,     // cut off by time
  // On another build than the recorded one:
  kNotReproduced,  // most of what led to the failure is there, and does not lead to it any more
  kCannotJudge,    // too little of it is there
};

struct Comparison {
  Verdict verdict = Verdict::kNothingFound;
  bool identical = false;  // event by event, values included
  std::string divergence;  // the first difference, in words; empty if there is none

  ExitStatus exit_status() const;
};

// `expected`: what the recorded run did at each decision, in words, where that is known.
Comparison compare(const Schedule& schedule, const Run& run, DebugInfo& debug,
                   const std::vector<std::string>& expected = {});
std::string_view verdict_name(Verdict v);

}  // namespace rff
