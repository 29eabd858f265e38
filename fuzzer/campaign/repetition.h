// Is a run really a function of its schedule? Findings are confirmed and schedules audited so.
#pragma once

#include <string>

#include "fuzzer/run/runner.h"

namespace rff {

// Runs the schedule and compares with what it did before. Returns the first difference, or why
// there was no run to compare, in one line; empty if both runs are the same. `repeated`: where the
// run is left, for those who want to know more of it.
std::string difference_when_repeated(Runner& runner, const Schedule& schedule,
                                     const Finding& before, Run* repeated = nullptr);

// The run once more, with its trace and who called in it; `run` if that does not end as it did.
Run with_callers(Runner& runner, const Schedule& schedule, Run run);

}  // namespace rff
