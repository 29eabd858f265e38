// The strategy of the systematic search: explores everything there is, once, and knows whether that
// is true.
//
// Scheduling points are found while runs are made. An exploration counts only if none of its runs
// found a new one: otherwise it starts anew with all of them.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "fuzzer/core/strategies/strategy.h"
#include "fuzzer/systematic/explorer.h"
#include "schedule/search_choice.h"

namespace rff {

class SystematicStrategy : public Strategy {
 public:
  // `chosen_points`: the user chose the scheduling points.
  SystematicStrategy(const SystematicChoice& choice, std::uint64_t seed,
                     bool chosen_points = false);

  std::string_view name() const override { return "systematic"; }
  std::optional<Schedule> propose(Random& random) override;
  void observe(const Schedule& schedule, const Lesson& lesson) override;
  void lost(const Schedule& schedule, RunOutcome outcome) override;
  const ExplorationState* exploration() const override { return &state_; }

 private:
  // A run with more ends the exploration: its analysis takes the square, and a longer one does not
  // record every access.
  static constexpr std::size_t kMostSteps = 16'000;

  void start();
  void plan_next();
  void count(const RunSummary& run, const ExploredRun& explored);
  void not_complete(const std::string& reason);

  SystematicChoice choice_;
  bool chosen_points_;
  Random random_;
  std::uint64_t seed_;  // of every run: the program's own random numbers are the same in all
  std::unique_ptr<Explorer> explorer_;
  std::uint32_t bound_ = 0;
  std::optional<std::uint32_t> points_;  // the number of scheduling points of this exploration
  std::optional<Exploration> plan_;
  // Set once a run has failed, or has done what matters to others, where no step begins.
  bool every_primitive_ = false;
  std::unordered_set<std::uint64_t> reads_from_;
  ExplorationState state_;
};

}  // namespace rff
