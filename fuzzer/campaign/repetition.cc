#include "fuzzer/campaign/repetition.h"

#include "fuzzer/campaign/determinism.h"
#include "fuzzer/explain/divergence.h"

namespace rff {

std::string difference_when_repeated(Runner& runner, const Schedule& schedule,
                                     const Finding& before, Run* repeated) {
  try {
    Run run = runner.run(schedule);
    std::string difference = divergence_of_runs(before, run);
    if (repeated != nullptr) {
      *repeated = std::move(run);
    }
    return difference;
  } catch (const Interrupted&) {
    return "given up";
  } catch (const ToolError& error) {
    return error.what();
  }
}

std::string named_difference(Runner& runner, const Schedule& schedule) {
  try {
    std::optional<RunDifference> difference = TwinRuns(runner).compare(schedule);
    return difference ? "; " + difference->text() : "";
  } catch (const ToolError&) {
    return "";
  }
}

Run with_callers(Runner& runner, const Schedule& schedule, const Run& run) {
  runner.trace(Runner::Tracing::kShared);
  runner.trace_callers(true);
  Run traced;
  std::string difference = difference_when_repeated(runner, schedule, run.finding, &traced);
  runner.trace(Runner::Tracing::kNone);
  runner.trace_callers(false);
  return difference.empty() ? traced : run;
}

}  // namespace rff
