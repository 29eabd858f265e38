#include "fuzzer/core/strategies/systematic_strategy.h"

#include "fuzzer/systematic/scheduling_graph.h"
#include "fuzzer/systematic/trace_explorer.h"

namespace rff {

SystematicStrategy::SystematicStrategy(const SystematicChoice& choice, std::uint64_t seed,
                                       bool chosen_points)
    : choice_(choice),
      chosen_points_(chosen_points),
      random_(hash_combine(seed, 0x73797374)),
      seed_(seed) {
  start();
}

void SystematicStrategy::start() {
  state_ = {};
  points_.reset();
  reads_from_.clear();
  bound_ = choice_.least;
  if (choice_.classes == SystematicChoice::Classes::kInterleavings) {
    explorer_ = std::make_unique<SchedulingGraph>(choice_.pick, choice_.bound, bound_);
  } else {
    explorer_ = std::make_unique<TraceExplorer>(chosen_points_);
  }
  plan_next();
}

void SystematicStrategy::plan_next() {
  plan_ = explorer_->next(random_);
  while (!plan_ && bound_ < choice_.most && explorer_->cut_by_bound()) {
    state_.steps.push_back({bound_, explorer_->classes(), state_.failing});
    static_cast<SchedulingGraph&>(*explorer_).raise_bound(++bound_);
    plan_ = explorer_->next(random_);
  }
  state_.finished = !plan_;
  state_.classes = explorer_->classes();
  state_.redundant = explorer_->redundant();
  state_.bound = bound_;
  state_.cut_by_bound = explorer_->cut_by_bound();
}

std::optional<Schedule> SystematicStrategy::propose(Random& /*random*/) {
  if (!plan_) {
    return std::nullopt;
  }
  Schedule schedule;
  schedule.scheduler = SchedulerKind::kSystematic;
  schedule.exploration = *plan_;
  // Beyond its order, a run within a bound costs nothing more.
  schedule.exploration.rest =
      choice_.bound == ExplorationBound::kNone ? choice_.pick : Exploration::Rest::kFirst;
  schedule.exploration.seed = random_.next();
  schedule.exploration.every_primitive = every_primitive_;
  schedule.seed = seed_;
  return schedule;
}

void SystematicStrategy::observe(const Schedule& schedule, const Lesson& lesson) {
  if (lesson.proposer != this || !plan_) {
    return;
  }
  // Interleavings do not depend on what is recorded besides the steps.
  bool matters =
      schedule.points.may_grow() || choice_.classes != SystematicChoice::Classes::kInterleavings;
  std::uint32_t points = schedule.points.shared_version;
  if (matters && (lesson.new_points || points_.value_or(points) != points)) {
    start();
    return;
  }
  points_ = points;
  ++state_.explored;
  if (lesson.run.steps.size() > kMostSteps) {
    not_complete("a run has more than " + std::to_string(kMostSteps) + " steps");
    return;
  }
  ExploredRun explored(lesson.run);
  if (!explored.problem().empty()) {
    not_complete(explored.problem());
    return;
  }
  bool outside =
      explored.failed_outside_steps() || (chosen_points_ && explored.acts_outside_steps());
  if (outside && !every_primitive_) {
    every_primitive_ = true;
    start();
    return;
  }
  count(lesson.run, explored);
  if (!explorer_->observe(explored)) {
    not_complete("the same choices led to different runs");
    return;
  }
  plan_next();
  // Looks at all of the tree, so not after every run.
  if (state_.finished || (state_.explored & (state_.explored - 1)) == 0 ||
      state_.explored % 1024 == 0) {
    state_.part_done = state_.finished ? 1 : explorer_->part_done();
  }
}

void SystematicStrategy::count(const RunSummary& run, const ExploredRun& explored) {
  state_.failing += run.failed() ? 1 : 0;
  bool traces = choice_.classes == SystematicChoice::Classes::kTraces;
  // Interleavings of chosen stop points go on without a record of all that other code reads.
  if (traces || !chosen_points_) {
    reads_from_.insert(explored.reads_from());
    state_.reads_from_classes = reads_from_.size();
  }
  if (explored.cut_loop()) {
    state_.reason = "a thread that waits in a loop was left there after some passes";
  } else if ((run.flags & kTouchedOutside) != 0) {
    state_.reason = "the program waits for something outside the process";
  } else if (traces && (run.flags & kTimePassed) != 0) {
    state_.reason = "the program waits for time to pass (--classes interleavings explores that)";
  } else if (traces && run.failed() && !fails_together(run.finding) &&
             !explored.pending().empty()) {
    // The effect of the failing step depends on more than its conflicts.
    state_.reason =
        "a failure cuts off other threads (--classes interleavings explores what they do)";
  }
}

void SystematicStrategy::lost(const Schedule& schedule, RunOutcome outcome) {
  if (schedule.scheduler == SchedulerKind::kSystematic) {
    not_complete(outcome == RunOutcome::kUnresponsive ? "a run was unresponsive"
                                                      : "a run ended without an outcome");
  }
}

// Ends the exploration: nothing that follows could be relied on.
void SystematicStrategy::not_complete(const std::string& reason) {
  state_.reason = reason;
  plan_.reset();
  state_.finished = true;
}

}  // namespace rff
