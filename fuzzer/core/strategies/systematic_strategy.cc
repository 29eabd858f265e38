#include "fuzzer/core/strategies/systematic_strategy.h"

#include "fuzzer/systematic/reads_from_explorer.h"
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
  kept_.clear();
  reads_from_.clear();
  bound_ = choice_.least;
  start_explorer();
  plan_next();
}

void SystematicStrategy::start_explorer() {
  if (choice_.classes == SystematicChoice::Classes::kInterleavings) {
    explorer_ = std::make_unique<SchedulingGraph>(choice_.pick, choice_.bound, bound_);
  } else if (choice_.classes == SystematicChoice::Classes::kReadsFrom && !finer_) {
    explorer_ = std::make_unique<ReadsFromExplorer>();
  } else {
    explorer_ = std::make_unique<TraceExplorer>(chosen_points_);
  }
}

void SystematicStrategy::plan_next() {
  plan_ = explorer_->next(random_);
  while (!plan_ && bound_ < choice_.most && explorer_->cut_by_bound()) {
    state_.steps.push_back({bound_, explorer_->classes(), state_.failing});
    static_cast<SchedulingGraph&>(*explorer_).raise_bound(++bound_);
    plan_ = explorer_->next(random_);
  }
  state_.finished = !plan_;
  bool reads_from = choice_.classes == SystematicChoice::Classes::kReadsFrom;
  state_.classes = reads_from ? reads_from_.size() : explorer_->classes();
  state_.redundant = reads_from ? state_.explored - state_.classes : explorer_->redundant();
  state_.bound = bound_;
  state_.cut_by_bound = explorer_->cut_by_bound();
}

std::optional<Schedule> SystematicStrategy::propose(Random& /*random*/) {
  return plan_ ? std::optional(schedule_of(*plan_)) : std::nullopt;
}

// The schedule follows from the plan, so that a run of it may be made before its time.
Schedule SystematicStrategy::schedule_of(const Exploration& plan) const {
  Schedule schedule;
  schedule.scheduler = SchedulerKind::kSystematic;
  schedule.exploration = plan;
  // Beyond its order, a run within a bound costs nothing more.
  schedule.exploration.rest =
      choice_.bound == ExplorationBound::kNone ? choice_.pick : Exploration::Rest::kFirst;
  if (choice_.classes == SystematicChoice::Classes::kReadsFrom && !finer_) {
    schedule.exploration.rest = Exploration::Rest::kReadsLast;
  }
  schedule.exploration.every_primitive = every_primitive_;
  schedule.exploration.loops_wait = loops_wait_;
  std::uint64_t hash = hash_combine(seed_, (every_primitive_ ? 1 : 0) | (loops_wait_ ? 2 : 0));
  for (const Decision& d : plan.order) {
    hash = hash_combine(hash, (std::uint64_t{d.thread} + 1) << 16 | d.check.bits());
  }
  for (std::uint32_t value : plan.choices) {
    hash = hash_combine(hash, (std::uint64_t{value} + 1) << 32);
  }
  for (std::uint16_t thread : plan.asleep) {
    hash = hash_combine(hash, std::uint64_t{thread} + 1);
  }
  schedule.exploration.seed = hash;
  schedule.seed = seed_;
  return schedule;
}

std::vector<Schedule> SystematicStrategy::foresee(std::size_t most) {
  std::vector<Schedule> schedules;
  if (!plan_) {
    return schedules;
  }
  for (const Exploration& plan : explorer_->foresee(most, random_)) {
    Schedule schedule = schedule_of(plan);
    if (!kept_.contains(schedule.exploration.seed)) {
      schedules.push_back(std::move(schedule));
    }
  }
  return schedules;
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
  bool its_turn = schedule.exploration == schedule_of(*plan_).exploration;
  if (lesson.run.steps.size() > kMostSteps) {
    if (its_turn && !loops_wait_) {
      let_loops_wait();
    } else if (its_turn) {
      ++state_.explored;
      not_complete("a run has more than " + std::to_string(kMostSteps) + " steps");
    }
    return;
  }
  Seen seen{schedule.exploration, ExploredRun(lesson.run, chosen_points_, detail()),
            lesson.run.failed(), lesson.run.failed() && !fails_together(lesson.run.finding),
            lesson.run.flags};
  if (!its_turn) {
    if (kept_.size() >= kMostKept) {
      kept_.clear();
    }
    kept_.insert_or_assign(schedule.exploration.seed, std::move(seen));
    return;
  }
  learn(seen);
  learn_kept();
}

void SystematicStrategy::learn_kept() {
  while (plan_) {
    Exploration wanted = schedule_of(*plan_).exploration;
    auto kept = kept_.extract(wanted.seed);
    if (kept.empty() || kept.mapped().plan != wanted) {
      return;
    }
    learn(kept.mapped());
  }
}

// Learns from the run of the plan.
void SystematicStrategy::learn(const Seen& seen) {
  if (seen.run.cut_loop() && !loops_wait_) {
    let_loops_wait();
    return;
  }
  ++state_.explored;
  if (!seen.run.problem().empty()) {
    not_complete(seen.run.problem());
    return;
  }
  bool outside =
      seen.run.failed_outside_steps() || (chosen_points_ && seen.run.acts_outside_steps());
  if (outside && !every_primitive_) {
    every_primitive_ = true;
    start();
    return;
  }
  count(seen);
  if (!explorer_->observe(seen.run)) {
    not_complete("the same choices led to different runs");
    return;
  }
  if (!explorer_->not_suited().empty()) {
    finer_ = true;
    start();
    return;
  }
  plan_next();
  // Looks at all of the tree, so not after every run.
  if (state_.finished || (state_.explored & (state_.explored - 1)) == 0 ||
      state_.explored % 1024 == 0) {
    state_.part_done = state_.finished ? 1 : explorer_->part_done();
  }
}

ExploredRun::Detail SystematicStrategy::detail() const {
  if (choice_.classes != SystematicChoice::Classes::kInterleavings) {
    return ExploredRun::Detail::kOrder;
  }
  // Interleavings of chosen stop points go on without a record of all that other code reads.
  return chosen_points_ ? ExploredRun::Detail::kSteps : ExploredRun::Detail::kReadsFrom;
}

// Starts anew: threads wait where their loops change nothing. What such a thread reads does not
// tell when it may go on.
void SystematicStrategy::let_loops_wait() {
  loops_wait_ = true;
  finer_ = true;
  start();
}

void SystematicStrategy::count(const Seen& seen) {
  bool traces = choice_.classes != SystematicChoice::Classes::kInterleavings;
  bool reads_from = choice_.classes == SystematicChoice::Classes::kReadsFrom;
  bool is_new = true;
  if (detail() != ExploredRun::Detail::kSteps) {
    is_new = reads_from_.insert(seen.run.reads_from()).second || !reads_from;
    state_.reads_from_classes = reads_from_.size();
  }
  state_.failing += seen.failed && is_new ? 1 : 0;
  if (seen.run.cut_loop()) {
    state_.reason = "a thread that waits in a loop was left there after some passes";
  } else if ((seen.flags & kTouchedOutside) != 0) {
    state_.reason = "the program waits for something outside the process";
  } else if (traces && (seen.flags & kHandledSignal) != 0) {
    // Where it came is no conflict of two threads.
    state_.reason = "a thread was interrupted by a signal (--classes interleavings explores where)";
  } else if (traces && (seen.flags & kTimePassed) != 0) {
    state_.reason = "the program waits for time to pass (--classes interleavings explores that)";
  } else if (traces && (!reads_from || finer_) && seen.fails_alone && !seen.run.pending().empty()) {
    // The effect of the failing step depends on more than its conflicts.
    state_.reason = std::string("a failure cuts off other threads (--classes ") +
                    (finer_ ? "interleavings" : "reads-from") + " explores what they do)";
  }
}

void SystematicStrategy::lost(const Schedule& schedule, RunOutcome outcome) {
  // The run of a plan to come is made again when it is its turn.
  if (plan_ && schedule.exploration == schedule_of(*plan_).exploration) {
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
