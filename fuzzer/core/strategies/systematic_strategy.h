// The strategy of the systematic search: explores everything there is, once, and knows whether that
// is true.
//
// Scheduling points are found while runs are made. An exploration counts only if none of its runs
// found a new one: otherwise it starts anew with all of them.
//
// Runs of plans that are still to come are kept until it is their turn, so that several instances
// explore exactly what one explores. A run is a pure function of its schedule, and a schedule of
// its plan.
#pragma once

#include <map>
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
  std::vector<Schedule> foresee(std::size_t most) override;
  void observe(const Schedule& schedule, const Lesson& lesson) override;
  void lost(const Schedule& schedule, RunOutcome outcome) override;
  const ExplorationState* exploration() const override { return &state_; }
  std::string save() const override;
  std::string restore(std::string_view bytes) override;

 private:
  // A run with more ends the exploration: its analysis takes the square, and a longer one does not
  // record every access.
  static constexpr std::size_t kMostSteps = 16'000;
  static constexpr std::size_t kMostKept = 1024;

  // The parts of a run that the exploration looks at.
  struct Seen {
    Exploration plan;
    ExploredRun run;
    bool failed = false;
    bool fails_alone = false;  // one thread failed, while others could have gone on
    std::uint32_t flags = 0;   // RunFlags
  };

  void start();
  void start_explorer();
  void plan_next();
  Schedule schedule_of(const Exploration& plan) const;
  void learn(const Seen& seen);
  void learn_kept();
  void let_loops_wait();
  void count(const Seen& seen);
  ExploredRun::Detail detail() const;
  void not_complete(const std::string& reason);
  void write_state(ByteWriter& writer) const;
  void read_state(ByteReader& reader);

  SystematicChoice choice_;
  bool chosen_points_;
  Random random_;
  std::uint64_t seed_;  // of every run: the program's own random numbers are the same in all
  std::unique_ptr<Explorer> explorer_;
  std::uint32_t bound_ = 0;
  std::optional<std::uint32_t> points_;  // the number of scheduling points of this exploration
  std::optional<Exploration> plan_;
  std::map<std::uint64_t, Seen> kept_;  // runs of plans to come, by the seed of the plan
  // Set once a run has failed, or has done what matters to others, where no step begins.
  bool every_primitive_ = false;
  // Set once a run has shown a loop that waits.
  bool loops_wait_ = false;
  // Trace classes are explored instead of reads-from classes, which do not suit the program.
  bool finer_ = false;
  std::unordered_set<std::uint64_t> reads_from_;
  ExplorationState state_;
};

}  // namespace rff
