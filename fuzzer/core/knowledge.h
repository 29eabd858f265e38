// The knowledge that all strategies share, and the lesson of one run, which is computed once for
// all strategies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "fuzzer/core/event_pool.h"
#include "fuzzer/core/focus.h"
#include "fuzzer/core/fuzz_plan.h"
#include "fuzzer/core/recorded_order.h"

namespace rff {

class Strategy;

struct Lesson {
  const RunSummary& run;
  // The strategy that proposed this schedule, if it is the portfolio's latest proposal. Null for an
  // initial schedule or one of another instance.
  const Strategy* proposer = nullptr;
  std::size_t new_pairs = 0;  // reads-from pairs that no earlier run had
  bool new_points = false;    // there are scheduling points now that the run did not use
  // The fields below are set only if the plan learns from order.
  bool new_path = false;    // some thread passed a new sequence of sites
  bool worthwhile = false;  // the run is new and a useful start for other runs
  RecordedOrder order = {};
};

// Names the set of places at which the run compared equal values, and those values. A program that
// computes a condition without jumps shows only here which parts of it hold.
std::uint64_t agreement_of(const RunSummary& run);

class Knowledge {
 public:
  explicit Knowledge(const FuzzPlan& plan);

  // Requires a usable run. The lesson refers to the run.
  Lesson learn(const Schedule& schedule, const RunSummary& run);

  // Whether the orders that strategies hold exceed the bounds, so that some must be released.
  bool holds_too_many_orders() const { return orders_.entries() > 3 * bounds_.order_entries; }

  EventPool& pool() { return pool_; }
  const EventPool& pool() const { return pool_; }
  const Focus& focus() const { return focus_; }

 private:
  // Whether the run compared values at a place where few had been compared before, not these, or
  // found others equal than each run before.
  bool compares_anew(const RunSummary& run);
  void learn_order(const Schedule& schedule, Lesson& lesson);

  Bounds bounds_;
  bool learns_from_order_;
  EventPool pool_;
  Focus focus_;
  LiveOrders orders_;
  std::unordered_set<std::uint64_t> paths_;  // sequences of sites that threads have passed
  // Places of comparisons → the number of pairs of values seen there; and those pairs.
  std::unordered_map<std::uint64_t, unsigned> compared_;
  static constexpr std::size_t kMostAgreements = 512;
  static constexpr unsigned kRunsOfAnAgreement = 4;  // other runs with it may lead further
  std::unordered_map<std::uint64_t, unsigned> agreements_;
};

}  // namespace rff
