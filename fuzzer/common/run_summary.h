// The part of a run that the fuzzing loop learns from: a view of the record that the runtime left
// in shared memory.
#pragma once

#include <cstdint>
#include <span>

#include "schedule/event.h"
#include "schedule/shared_memory.h"

namespace rff {

struct RunSummary {
  RunOutcome outcome = RunOutcome::kUnknown;
  FindingKind finding = FindingKind::kNone;
  std::span<const AbstractEvent> events;         // distinct
  std::span<const ReadsFromPair> pairs;          // distinct; indexes into `events`
  std::span<const Step> steps;                   // in order; a long run has only its first ones
  std::span<const ConsideredAction> considered;  // of Q-learning and of the systematic search
  std::span<const WorldChoice> world_choices;
  std::span<const ComparedValues> compared;  // of programs patched with --branches; else none
  std::uint32_t flags = 0;                   // RunFlags
  bool cut_short = false;                    // one of these lists overflowed
  std::uint64_t rf_combination = 0;
  bool new_control_flow = false;        // an edge that no member of the corpus had
  std::uint64_t scheduling_points = 0;  // the cost of the run, independent of time

  bool failed() const { return outcome == RunOutcome::kFinding; }
  // Whether the loop may learn from the run. The events of a timed-out run depend on its speed.
  bool usable() const { return outcome == RunOutcome::kNormal || failed(); }
};

// The view stays valid until the next run starts. The writer may have died at any point, so the
// record is not trusted: the lists clamp their counts, and readers must skip pairs with invalid
// indexes.
inline RunSummary summarize(const RunRecord& run) {
  RunSummary s;
  s.outcome = run.outcome.load(std::memory_order_acquire);
  s.finding = run.finding;
  s.events = {run.event_list.begin(), run.event_list.size()};
  s.pairs = {run.pairs.begin(), run.pairs.size()};
  s.steps = {run.steps.begin(), run.steps.size()};
  s.considered = {run.considered.begin(), run.considered.size()};
  s.world_choices = {run.world_choices.begin(), run.world_choices.size()};
  if (run.has_branches != 0) {
    s.compared = {run.compared_values.begin(), run.compared_values.size()};
  }
  s.flags = run.flags;
  s.cut_short = run.event_list.overflowed.load() + run.steps.overflowed.load() +
                    run.considered.overflowed.load() + run.world_choices.overflowed.load() >
                0;
  s.rf_combination = run.rf_combination;
  s.scheduling_points = run.scheduling_points;
  return s;
}

// Whether a schedule can change what the event reads from. It cannot for the creation, start, end
// and joining of threads, which the program decides, and for writes of code without hooks.
inline bool depends_on_schedule(const AbstractEvent& e) {
  switch (e.op) {
    case OpKind::kThreadCreate:
    case OpKind::kThreadStart:
    case OpKind::kThreadEnd:
    case OpKind::kThreadJoin: return false;
    default: return e.reads() || e.writes();
  }
}

// Calls visit(write, read) for the reads-from pairs of a run that depend on the schedule, until it
// returns false.
template <typename Visit>
void for_each_pair(const RunSummary& run, Visit visit) {
  for (const ReadsFromPair& p : run.pairs) {
    if (p.write < run.events.size() && p.read < run.events.size() &&
        depends_on_schedule(run.events[p.read]) &&
        !visit(run.events[p.write], run.events[p.read])) {
      return;
    }
  }
}

// The id of a reads-from pair, the same in every run.
inline std::uint64_t pair_id(const AbstractEvent& write, const AbstractEvent& read) {
  return hash_combine(write.id(), read.id());
}

}  // namespace rff
