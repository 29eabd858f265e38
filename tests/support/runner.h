// Runs a program once under the runtime, in a fresh process, and hands back everything the run
// reported.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
  std::string message() const { return std::string(run().message.view()); }
};

class Runner {
 public:
  explicit Runner(std::vector<std::string> command) : command_(std::move(command)) {}

  // `trace_path`: where to leave a trace; empty for none.
  RunResult run(const Schedule& schedule, const std::string& trace_path = "");

  // See LearnedPoints.
  void learn(const RunResult& r) { points_.learn(*r.shared); }
  Schedule schedule(SchedulerKind kind, std::uint64_t seed) const {
    return points_.schedule(kind, seed);
  }
  // The schedule that replays exactly what a run did.
  Schedule replay(const Schedule& original, const RunResult& r) const;

 private:
  std::vector<std::string> command_;
  Folder folder_;
  LearnedPoints points_;
};

}  // namespace rff::test
