#include "fuzzer/campaign/repetition.h"

#include "fuzzer/explain/divergence.h"

namespace rff {

std::string difference_when_repeated(Runner& runner, const Schedule& schedule,
                                     const Finding& before) {
  try {
    return divergence_of_runs(before, runner.run(schedule));
  } catch (const Interrupted&) {
    return "given up";
  } catch (const ToolError& error) {
    return error.what();
  }
}

}  // namespace rff
