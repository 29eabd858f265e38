#include "fuzzer/campaign/repetition.h"

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

}  // namespace rff
