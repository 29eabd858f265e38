// The corpus S: the schedules whose runs showed something that no earlier member had shown, and the
// frequency of each reads-from combination over all runs.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fuzzer/common/run_summary.h"
#include "fuzzer/core/bounded.h"
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

  // Counts the combination of a run, failing or not. When the table is full, new combinations are
  // not counted and therefore stay rare.
  void count(const RunSummary& run);

  // Whether the run shows a reads-from pair that no member has shown, or new control flow.
  bool interesting(const RunSummary& run) const;
  // Adds the schedule of a run as a member. Returns false if the corpus is full.
  bool add(const AbstractSchedule& constraints, const RunSummary& run);

  std::vector<CorpusMember>& members() { return members_; }
  const std::vector<CorpusMember>& members() const { return members_; }
  bool empty() const { return members_.empty(); }

  // f(α): how often the combination of α was seen; μ: the mean of f over the members.
  std::uint64_t frequency(const CorpusMember& member) const;
  double mean_frequency() const;

  std::size_t combinations() const { return seen_.size(); }
  // Combination → number of runs.
  const std::unordered_map<std::uint64_t, std::uint64_t>& seen() const { return seen_; }
  double mean_scheduling_points() const;
  double mean_rf_pairs() const;

 private:
  Bounds bounds_;
  std::size_t constraints_ = 0;  // sum over all members
  std::vector<CorpusMember> members_;
  std::unordered_set<std::uint64_t> pairs_;  // shown by members
  std::unordered_map<std::uint64_t, std::uint64_t> seen_;
  double total_scheduling_points_ = 0;
  double total_rf_pairs_ = 0;
};

}  // namespace rff
