// Minimizes a failing schedule: finds the smallest input and the fewest constraints that still lead
// to the failure, then the fewest context switches. Long runs have thousands of switches, of which
// a failure needs a few: first whole threads are taken out, then the longest parts of the run that
// need no switch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fuzzer/debug/finding_identity.h"
#include "fuzzer/explain/thread_order.h"
#include "fuzzer/run/runner.h"

namespace rff {

struct Minimized {
  Schedule schedule;
  Run run;  // the run of `schedule`
  std::size_t constraints_before = 0, constraints_after = 0;
  std::size_t switches_before = 0, switches_after = 0;
  std::size_t input_before = 0, input_after = 0;  // bytes
  std::uint64_t runs = 0;
  bool exhausted = false;  // stopped early: fewer may be possible
};

class Minimizer {
 public:
  using Progress = std::function<void(const Minimized&)>;
  // `debug` should know the modules of the program. If the runner is interrupted, the best result
  // so far is returned.
  Minimizer(Runner& runner, DebugInfo& debug, std::uint64_t max_runs, Progress progress)
      : runner_(runner), debug_(debug), max_runs_(max_runs), progress_(std::move(progress)) {}

  // `failing`: the run of `schedule`. Throws ToolError (3) if the result does not replay.
  Minimized minimize(const Schedule& schedule, const Run& failing);

 private:
  std::uint64_t runs() const { return runner_.runs() - first_run_; }
  bool same_failure(const Run& run);
  bool enough() { return result_.exhausted = result_.exhausted || runs() >= max_runs_; }
  // Reserves the other runs for removing switches, which matter to more readers.
  bool enough_for_constraints() { return enough() || runs() >= max_runs_ / 3; }
  void smaller_input(std::uint64_t most_runs);
  bool input_fails(const std::string& bytes);
  void fewer_constraints();
  void fewer_switches();
  // Returns whether the set leads to the failure, with the schedule's seed or one of a few others.
  bool constraints_fail(const std::vector<Constraint>& constraints);
  // Returns whether the order leads to the failure in a simpler way, and then adopts that run.
  bool try_order(const ThreadOrder& order);
  bool try_grouped(std::size_t begin, std::size_t end);
  void order_whole_threads();
  void group_windows();
  bool improve_once();
  void report();

  Runner& runner_;
  DebugInfo& debug_;
  std::uint64_t max_runs_;
  Progress progress_;
  std::uint64_t first_run_ = 0;
  Finding wanted_;
  Schedule schedule_;  // without decisions
  Run best_;
  ThreadOrder order_;  // the order of best_
  std::size_t next_ = 0;
  Minimized result_;
};

}  // namespace rff
