// Runs a test program under the runtime of this build, each time in a fresh process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/run/runner.h"
#include "schedule/run_finding.h"
#include "tests/support/program.h"

namespace rff::test {

struct RunResult {
  int wait_status = 0;
  std::string output;  // standard output of the program
  std::shared_ptr<SharedMemory> shared;

  const RunRecord& run() const { return shared->run; }
  bool found() const { return run().outcome == RunOutcome::kFinding; }
  bool ended() const { return run().outcome == RunOutcome::kNormal; }
  std::vector<Decision> decisions() const {
    return {run().decisions.begin(), run().decisions.end()};
  }
  // Returns the finding in one line, or why the run went wrong.
  std::string message() const { return finding_words(finding_of(*shared)); }
};

class Runner {
 public:
  // `command`: the program and its arguments. At the time of a run, kCarrierVariable selects the
  // carrier, and kChecksVariable what is checked.
  explicit Runner(std::vector<std::string> command);

  RunResult run(const Schedule& schedule);
  // Runs are traced from now on; the results do not have the traces.
  void trace(rff::Runner::Tracing tracing) { runner_.trace(tracing); }

  // See LearnedPoints.
  void learn(const RunResult& r) { points_.learn(*r.shared); }
  Schedule schedule(SchedulerKind kind, std::uint64_t seed) const {
    return points_.schedule(kind, seed);
  }
  // Returns the schedule that replays exactly what a run did.
  Schedule replay(const Schedule& original, const RunResult& r) const;

 private:
  rff::Runner runner_;
  Target target_;
  LearnedPoints points_;
};

}  // namespace rff::test
