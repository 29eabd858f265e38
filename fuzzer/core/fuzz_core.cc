#include "fuzzer/core/fuzz_core.h"

#include <algorithm>

namespace rff {

FuzzCore::FuzzCore(const FuzzPlan& plan)
    : plan_(plan), random_(mix64(plan.seed ^ 0x5246462d66757a7aULL)), mutator_(pool_, random_) {}

Schedule FuzzCore::next_schedule(std::uint32_t points_version) {
  Schedule s;
  s.scheduler = plan_.scheduler;
  s.pct_depth = plan_.pct_depth;
  s.timeouts = plan_.timeouts;
  if (!initial_.empty()) {
    s.constraints = initial_.front().constraints;
    s.seed = initial_.front().seed;
    s.patience = initial_.front().patience;
    initial_.pop_front();
  } else {
    // The other schedulers take no constraints: for them a schedule is nothing but its seed.
    if (started_ && plan_.scheduler == SchedulerKind::kRff) {
      s.constraints = mutant();
    }
    s.seed = random_.next();
  }
  if (plan_.scheduler == SchedulerKind::kPct) {
    s.pct_length = longest_run_;
  }
  s.points = {
      .every_access = false, .listed = false, .shared_version = points_version, .sites = {}};
  started_ = true;
  return s;
}

AbstractSchedule FuzzCore::mutant() {
  bool opening = ++mutants_ <= kOpening;
  std::uint64_t share = random_.below(4);
  if (share < (opening ? 3 : 1)) {
    if (std::optional<AbstractSchedule> forbidding = fresh_.take(random_, pool_)) {
      return *forbidding;
    }
  }
  if (share < 2 && !opening) {
    return {};
  }
  AbstractSchedule constraints;
  // The corpus is empty as long as every run has failed; then the empty schedule is what there is
  // to mutate.
  if (!corpus_.empty()) {
    if (stage_.energy == 0) {
      stage_ = power_.choose(corpus_);
    }
    --stage_.energy;
    constraints = corpus_.members()[stage_.member].constraints;
  }
  mutator_.mutate(constraints);
  return constraints;
}

FuzzCore::Verdict FuzzCore::report(const Schedule& schedule, const RunSummary& run) {
  Verdict verdict;
  if (!run.usable()) {
    return verdict;
  }
  std::vector<Constraint> new_pairs = pool_.observe(run);
  fresh_.add(schedule.constraints, new_pairs);
  verdict.new_pairs = new_pairs.size();
  corpus_.count(run);
  longest_run_ = std::max(longest_run_, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                            run.scheduling_points, UINT32_MAX)));
  if (!run.failed() && corpus_.interesting(run)) {
    corpus_.add(schedule.constraints, run);
    verdict.joined = true;
  }
  return verdict;
}

}  // namespace rff
