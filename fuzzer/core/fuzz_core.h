// The greybox loop, without anything that runs programs: asked for the next schedule, told what its
// run showed.
//
// Everything follows from the plan and from what is reported, so a campaign repeats from its seed.
#pragma once

#include <cstdint>
#include <deque>

#include "fuzzer/core/archive.h"
#include "fuzzer/core/corpus.h"
#include "fuzzer/core/event_pool.h"
#include "fuzzer/core/flips.h"
#include "fuzzer/core/mutators.h"
#include "fuzzer/core/power_schedule.h"
#include "fuzzer/core/wanted_values.h"
#include "schedule/schedule_file.h"

namespace rff {

struct FuzzPlan {
  std::uint64_t seed = 0;
  SchedulerKind scheduler = SchedulerKind::kRff;
  bool paper = false;  // with kRff: the loop as published and nothing else
  std::uint32_t pct_depth = 3;
  TimeoutPolicy timeouts = TimeoutPolicy::kFair;
  bool exit_is_finding = false;
  Bounds bounds = {};
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
  // Until then nine of ten schedules are flips, later half of them, as long as they promise
  // something.
  static constexpr std::uint64_t kOpening = 16;
  // From then on states that were reached play a part.
  static constexpr std::uint64_t kArchiveOpening = 128;

  void propose(Schedule& schedule);
  AbstractSchedule mutant();  // the paper's
  void take_over(const Schedule& given, Schedule& schedule) const;
  void learn_order(const Schedule& schedule, const RunSummary& run, bool new_pairs);

  FuzzPlan plan_;
  Random random_;
  std::deque<Schedule> initial_;
  bool started_ = false;
  std::uint32_t longest_run_ = 0;  // scheduling points

  // The paper's loop.
  EventPool pool_;
  Corpus corpus_;
  PowerSchedule power_;
  Mutator mutator_;
  PowerSchedule::Choice stage_{0, 0};  // whose mutants are being made, and how many are to come

  // What goes beyond it: learning from the order of events.
  LiveOrders orders_;
  Focus focus_;
  Flips flips_;
  WantedValues wanted_;
  WantedValues less_wanted_;                 // where values have not been seen to decide anything
  Archive archive_;                          // of states as far as they decide where threads go
  Archive wide_archive_;                     // of all states
  std::unordered_set<std::uint64_t> paths_;  // sequences of sites that threads have passed
  std::uint64_t proposals_ = 0;
  bool taken_ = false;           // the schedule being made is a flip
  std::uint64_t flip_seed_ = 0;  // of the flip that is being run
};

}  // namespace rff
