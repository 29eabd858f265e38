// Repeats a run from its schedule and compares, to confirm findings and to audit schedules.
#pragma once

#include <string>

#include "fuzzer/run/runner.h"

namespace rff {

// Runs the schedule and compares with its recorded run. Returns in one line the first difference,
// or why there is no run to compare; empty if both runs are equal. Stores the run in `repeated` if
// given.
std::string difference_when_repeated(Runner& runner, const Schedule& schedule,
                                     const Finding& before, Run* repeated = nullptr);

// Repeats the run with a trace that includes callers. Returns `run` if the repetition ends
// differently.
Run with_callers(Runner& runner, const Schedule& schedule, const Run& run);

// Runs the schedule twice more, with traces, and returns "; " and the first difference between
// them; empty if there is none.
std::string named_difference(Runner& runner, const Schedule& schedule);

}  // namespace rff
