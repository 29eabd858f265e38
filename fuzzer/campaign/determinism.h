// rff-fuzz --check-determinism: runs schedules twice, each in a fresh process, compares the whole
// runs, and names the first value that differs and its likely source.
#pragma once

#include <optional>

#include "fuzzer/campaign/options.h"
#include "fuzzer/campaign/preparation.h"
#include "fuzzer/explain/run_difference.h"
#include "fuzzer/run/installation.h"
#include "fuzzer/run/runner.h"

namespace rff {

// Runs the schedule twice with traces and compares them. The trace of every access shows a
// difference where it begins; a run that is too long for that is compared by what threads share.
class TwinRuns {
 public:
  explicit TwinRuns(Runner& runner) : runner_(runner) {}
  // Throws ToolError if no run is possible. `runner` traces nothing afterwards.
  std::optional<RunDifference> compare(const Schedule& schedule);
  // Whether a run was so long that only what threads share was compared.
  bool shared_only() const { return shared_only_; }

 private:
  Runner& runner_;
  DebugInfo debug_;
  bool shared_only_ = false;
};

// Prints one line. Returns the exit status: 0, or 3 if a run did not repeat.
int check_determinism(const Options& options, const Installation& installation,
                      const Prepared& prepared);

}  // namespace rff
