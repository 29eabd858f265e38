// The shortest way to a failure: the fewest constraints that still lead to it, then the fewest
// context switches.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fuzzer/explain/thread_order.h"
#include "fuzzer/run/runner.h"

namespace rff {

struct Minimized {
  Schedule schedule;
  std::size_t constraints_before = 0, constraints_after = 0;
  std::size_t switches_before = 0, switches_after = 0;
  std::uint64_t runs = 0;
  bool exhausted = false;  // cut short: fewer may be possible
};

class Minimizer {
 public:
  using Progress = std::function<void(const Minimized&)>;
  // An interrupt of the runner makes the best so far the result.
  Minimizer(Runner& runner, std::uint64_t max_runs, Progress progress)
      : runner_(runner), max_runs_(max_runs), progress_(std::move(progress)) {}

  // `failing`: the run of `schedule`. Throws ToolError (3) if the result does not replay.
  Minimized minimize(const Schedule& schedule, const Run& failing);

 private:
  bool enough() {
    return result_.exhausted = result_.exhausted || runner_.runs() - first_run_ >= max_runs_;
  }
  void fewer_constraints();
  void fewer_switches();
  // Whether the set leads to the failure, with the schedule's seed or one of a few others.
  bool constraints_fail(const std::vector<Constraint>& constraints);
  bool try_order(const ThreadOrder& order);
  void group_windows();
  bool improve_once();
  void report();

  Runner& runner_;
  std::uint64_t max_runs_;
  Progress progress_;
  std::uint64_t first_run_ = 0;
  Finding wanted_;
  Schedule schedule_;  // without decisions
  Run best_;
  ThreadOrder order_;  // of best_
  std::size_t next_ = 0;
  Minimized result_;
};

}  // namespace rff
