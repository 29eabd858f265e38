// The table of Q-learning: what each action in each state has cost so far. An unknown action costs
// nothing. A choice moves the cost of its action towards one plus the discounted cost of the
// cheapest action that could be chosen next.
//
// Values are the negatives of those in the literature: the reward of a choice is -1.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "fuzzer/common/run_summary.h"
#include "schedule/schedule_file.h"

namespace rff {

class ActionCosts {
 public:
  // `most_actions`: beyond that, the states that no run has visited for the longest time are
  // forgotten.
  explicit ActionCosts(std::size_t most_actions = kMaxLearned) : most_actions_(most_actions) {}

  // Learns from the choices of a run, in their order.
  void learn(std::span<const ConsideredAction> considered);
  // Returns all that has a cost, sorted.
  const std::vector<LearnedValue>& values() const { return values_; }

  std::uint32_t cost(std::uint64_t state, std::uint64_t action) const;
  std::size_t actions() const { return actions_; }
  std::size_t visits_kept() const { return in_order_.size(); }

 private:
  // Learning rate 0.3 and discount 0.7, as published.
  static constexpr std::uint64_t kRate = 3, kDiscount = 7, kTenths = 10;

  struct Visited {
    std::uint64_t visit = 0;  // the latest
    std::vector<std::uint64_t> actions;
  };
  struct Visit {
    std::uint64_t state = 0, number = 0;
  };

  void visit(std::uint64_t state, std::span<const ConsideredAction> options);
  std::uint32_t cheapest(std::uint64_t state) const;
  void set_cost(std::uint64_t state, std::uint64_t action, std::uint64_t cost);
  void merge_new_values();
  void forget_oldest();

  std::size_t most_actions_;
  std::size_t actions_ = 0;
  std::uint64_t visits_ = 0;
  std::unordered_map<std::uint64_t, Visited> states_;
  std::deque<Visit> in_order_;  // those that are not the latest of their state are void
  std::vector<LearnedValue> values_;
  std::unordered_map<std::uint64_t, std::uint32_t> new_values_;  // of this run, by choice
};

}  // namespace rff
