// What the fuzzing loop learns from one run: a view of the record that the runtime left in shared memory.
#pragma once

#include <cstdint>
#include <span>

#include "schedule/event.h"
#include "schedule/shared_memory.h"

namespace rff {

struct RunSummary {
  RunOutcome outcome = RunOutcome::kUnknown;
  std::span<const AbstractEvent> events;   // distinct
  std::span<const ReadsFromPair> pairs;    // distinct; indexes into `events`
  std::uint64_t rf_combination = 0;
  std::uint32_t new_edges = 0;             // control flow that no earlier run of this fork server had
  std::uint64_t scheduling_points = 0;     // what the run cost, without a clock

  bool failed() const { return outcome == RunOutcome::kFinding; }
  // Whether the loop may learn from it. Where a run was cut off by the clock, what it saw is an accident.
  bool usable() const { return outcome == RunOutcome::kNormal || failed(); }
};

// The view stays valid until the next run starts. The writer may have died at any point, so nothing in the record
// is trusted: the lists clamp their own counts, and pairs with wild indexes are for the reader to skip.
inline RunSummary summarize(const RunRecord& run) {
  RunSummary s;
  s.outcome = run.outcome.load(std::memory_order_acquire);
  s.events = {run.event_list.begin(), run.event_list.size()};
  s.pairs = {run.pairs.begin(), run.pairs.size()};
  s.rf_combination = run.rf_combination;
  s.new_edges = run.new_edges;
  s.scheduling_points = run.scheduling_points;
  return s;
}

// A reads-from pair by name, the same in every run.
inline std::uint64_t pair_id(const AbstractEvent& write, const AbstractEvent& read) {
  return hash_combine(write.id(), read.id());
}

}  // namespace rff
