// The greybox loop, without anything that runs programs: asked for the next schedule, told what its
// run showed.
//
// Everything follows from the plan and from what is reported, so a campaign repeats from its seed.
#pragma once

#include <cstdint>
#include <deque>

#include "fuzzer/core/corpus.h"
#include "fuzzer/core/event_pool.h"
#include "fuzzer/core/fresh_pairs.h"
#include "fuzzer/core/mutators.h"
#include "fuzzer/core/power_schedule.h"
#include "schedule/schedule_file.h"

namespace rff {

struct FuzzPlan {
  std::uint64_t seed = 0;
  SchedulerKind scheduler = SchedulerKind::kRff;
  std::uint32_t pct_depth = 3;
  TimeoutPolicy timeouts = TimeoutPolicy::kFair;
};

class FuzzCore {
 public:
  explicit FuzzCore(const FuzzPlan& plan);

  // A schedule to run before any mutant, with its own seed. Without any the first one is the empty
  // schedule.
  void add_initial(const Schedule& schedule) { initial_.push_back(schedule); }

  // `points_version`: how many scheduling points the campaign knows by now (see SchedulingPoints).
  Schedule next_schedule(std::uint32_t points_version);

  struct Verdict {
    bool joined = false;        // the schedule is now a member of the corpus
    std::size_t new_pairs = 0;  // reads-from pairs that no run had shown
  };
  // Schedules that this core did not make may be reported as well (those of other instances).
  Verdict report(const Schedule& schedule, const RunSummary& run);

  // Scheduling points that have become known (packed CodeNames).
  void add_points(std::span<const std::uint64_t> sites) { pool_.add_points(sites); }

  const Corpus& corpus() const { return corpus_; }
  const EventPool& pool() const { return pool_; }

 private:
  // Three sources of schedules, since each finds bugs that the others are slow at: the paper's loop
  // (half of them); pairs seen for the first time, forbidden (a quarter, but most of the first
  // kOpening, when almost all is new); and no constraints at all, which is plain POS (the rest).
  static constexpr std::uint64_t kOpening = 16;

  AbstractSchedule mutant();

  FuzzPlan plan_;
  Random random_;
  EventPool pool_;
  FreshPairs fresh_;
  Corpus corpus_;
  PowerSchedule power_;
  Mutator mutator_;
  std::deque<Schedule> initial_;
  bool started_ = false;
  std::uint64_t mutants_ = 0;
  PowerSchedule::Choice stage_{0,
                               0};  // whose mutants are being made, and how many are still to come
  std::uint32_t longest_run_ = 0;   // scheduling points
};

}  // namespace rff
