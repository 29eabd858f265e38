// The corpus S: schedules whose runs showed something that no member had shown before, and how
// often each reads-from combination came up in all runs.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fuzzer/core/bounded.h"
#include "fuzzer/core/run_summary.h"
#include "schedule/abstract_schedule.h"

namespace rff {

struct CorpusMember {
  AbstractSchedule constraints;
  std::uint64_t rf_combination = 0;
  std::size_t rf_pairs = 0;
  std::uint64_t scheduling_points = 0;
  std::uint32_t chosen_since_skipped = 0;  // s(α)
};

class Corpus {
 public:
  explicit Corpus(const Bounds& bounds = {}) : bounds_(bounds) {}

  // Counts the combination of a run, failing or not. Where there are too many new ones are not
  // counted, which makes them rare.
  void count(const RunSummary& run);

  // Whether the run shows a reads-from pair that no member has shown, or new control flow.
  bool interesting(const RunSummary& run) const;
  // Makes the schedule of a run a member; false if there is no room for one more.
  bool add(const AbstractSchedule& constraints, const RunSummary& run);

  std::vector<CorpusMember>& members() { return members_; }
  const std::vector<CorpusMember>& members() const { return members_; }
  bool empty() const { return members_.empty(); }

  // f(α): how often the combination that α exercises was seen; μ: the mean of f over the members.
  std::uint64_t frequency(const CorpusMember& member) const;
  double mean_frequency() const;

  std::size_t combinations() const { return seen_.size(); }
  // Combination → how often.
  const std::unordered_map<std::uint64_t, std::uint64_t>& seen() const { return seen_; }
  double mean_scheduling_points() const;
  double mean_rf_pairs() const;

 private:
  Bounds bounds_;
  std::size_t constraints_ = 0;  // of all members together
  std::vector<CorpusMember> members_;
  std::unordered_set<std::uint64_t> pairs_;  // shown by members
  std::unordered_map<std::uint64_t, std::uint64_t> seen_;
  double total_scheduling_points_ = 0;
  double total_rf_pairs_ = 0;
};

}  // namespace rff
