// The greybox fuzzing loop, independent of how programs run. The caller asks for the next schedule,
// runs it and reports the result.
//
// The proposals depend only on the plan and the reports, so a campaign repeats from its seed.
#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "fuzzer/core/corpus.h"
#include "fuzzer/core/fuzz_plan.h"
#include "fuzzer/core/knowledge.h"
#include "fuzzer/core/strategies/portfolio.h"
#include "schedule/schedule_file.h"

namespace rff {

class FuzzCore {
 public:
  explicit FuzzCore(const FuzzPlan& plan);
  FuzzCore(const FuzzCore&) = delete;
  FuzzCore& operator=(const FuzzCore&) = delete;

  // Adds a schedule to run before any proposal, with its own seed.
  void add_initial(const Schedule& schedule);

  // `points_version` is the number of scheduling points the campaign knows (see SchedulingPoints).
  Schedule next_schedule(std::uint32_t points_version);

  // Gives a schedule all that does not depend on what chose it.
  void set_up(Schedule& schedule, std::uint32_t points_version) const;

  struct Verdict {
    bool joined = false;        // the schedule is now a member of the corpus
    std::size_t new_pairs = 0;  // reads-from pairs that no earlier run had
  };
  // Also accepts schedules that other instances made.
  Verdict report(const Schedule& schedule, const RunSummary& run);

  // Adds newly found scheduling points (packed CodeNames).
  void add_points(std::span<const std::uint64_t> sites) {
    points_ += sites.size();
    knowledge_.pool().add_points(sites);
  }

  // Returns null if the search is not systematic. There is no next schedule after it has finished.
  const ExplorationState* exploration() const { return portfolio_.exploration(); }
  bool finished() const { return initial_.empty() && exploration() && exploration()->finished; }

  // Returns up to `most` schedules that next_schedule() is likely to return later. Their runs may
  // be reported before; a search that is not systematic has none.
  std::vector<Schedule> foresee(std::size_t most, std::uint32_t points_version);
  // See Strategy.
  std::string save() const { return portfolio_.save(); }
  std::string restore(std::string_view bytes) { return portfolio_.restore(bytes); }

  const Portfolio& portfolio() const { return portfolio_; }
  const Corpus& corpus() const { return corpus_; }
  const EventPool& pool() const { return knowledge_.pool(); }

 private:
  Schedule next_initial();
  bool joins_corpus(const Schedule& schedule, const RunSummary& run, std::size_t new_pairs);

  FuzzPlan plan_;
  Random random_;
  std::deque<Schedule> initial_;
  std::size_t points_ = 0;
  std::uint32_t longest_run_ = 0;  // in scheduling points; without runs that stop everywhere
  Knowledge knowledge_;
  Corpus corpus_;
  Portfolio portfolio_;
};

}  // namespace rff
