#include "fuzzer/core/fuzz_core.h"

#include <algorithm>

namespace rff {

FuzzCore::FuzzCore(const FuzzPlan& plan)
    : plan_(plan),
      random_(mix64(plan.seed ^ 0x5246462d66757a7aULL)),
      pool_(plan.bounds),
      corpus_(plan.bounds),
      mutator_(pool_, random_),
      focus_(plan.bounds),
      flips_(plan.bounds),
      wanted_(true, plan.bounds),
      less_wanted_(false, plan.bounds),
      archive_(plan.bounds),
      wide_archive_(plan.bounds) {}

Schedule FuzzCore::next_schedule(std::uint32_t points_version) {
  Schedule s;
  s.scheduler = plan_.scheduler;
  s.pct_depth = plan_.pct_depth;
  s.timeouts = plan_.timeouts;
  s.exit_is_finding = plan_.exit_is_finding;
  if (!initial_.empty()) {
    take_over(initial_.front(), s);
    initial_.pop_front();
  } else {
    // The other schedulers take no constraints: for them a schedule is nothing but its seed.
    if (plan_.scheduler == SchedulerKind::kRff) {
      propose(s);
    }
    s.seed = random_.next();
    if (s.scheduler == SchedulerKind::kRoundRobin) {
      s.seed = started_ ? s.seed | 1 : s.seed & ~std::uint64_t{1};  // first in step, then not
    }
    flip_seed_ = taken_ ? s.seed : 0;
  }
  if (plan_.scheduler == SchedulerKind::kPct) {
    s.pct_length = longest_run_;
  }
  s.points = {.every_access = s.scheduler == SchedulerKind::kRoundRobin,
              .listed = false,
              .shared_version = points_version,
              .sites = {}};
  started_ = true;
  return s;
}

void FuzzCore::propose(Schedule& s) {
  taken_ = false;
  if (plan_.paper) {
    if (started_) {
      s.constraints = mutant();
    }
    return;
  }
  if (!started_) {
    s.scheduler = SchedulerKind::kRoundRobin;
    return;
  }
  bool opening = ++proposals_ <= kOpening;
  if (proposals_ == 1) {  // once more, now out of step
    s.scheduler = SchedulerKind::kRoundRobin;
    return;
  }
  if (random_.chance(opening ? 9 : 5, 10) && flips_.take(random_, pool_, focus_, true, s)) {
    taken_ = true;
    return;
  }
  if (!opening && random_.chance(1, 2) &&
      (wanted_.take(random_, s) || (random_.chance(1, 2) && less_wanted_.take(random_, s)))) {
    return;
  }
  // The rest: back to states that were reached, flips that promise little, plain random runs (many
  // bugs need nothing else), and the paper's mutants.
  std::uint64_t rest = random_.below(100);
  bool early = proposals_ <= kArchiveOpening;
  if (rest < (early ? 10 : 45)) {
    if ((random_.chance(3, 4) ? archive_ : wide_archive_).take(random_, s)) {
      return;
    }
  } else if (rest < (early ? 20 : 65)) {
    taken_ = flips_.take(random_, pool_, focus_, false, s);
    if (taken_) {
      return;
    }
  }
  if (rest >= (early ? 60 : 75)) {
    s.scheduler = random_.chance(1, 8)   ? SchedulerKind::kRoundRobin
                  : random_.chance(1, 2) ? SchedulerKind::kWindow
                                         : SchedulerKind::kRff;
  } else {
    s.constraints = mutant();
  }
}

AbstractSchedule FuzzCore::mutant() {
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

// A schedule of an earlier campaign, or of a user. Its scheduling points are those of this
// campaign.
void FuzzCore::take_over(const Schedule& given, Schedule& s) const {
  s.constraints = given.constraints;
  s.seed = given.seed;
  s.patience = given.patience;
  if (plan_.scheduler == SchedulerKind::kRff && !plan_.paper) {
    s.scheduler = given.scheduler;
    if (given.guided) {
      s.guided = true;
      s.prefix = given.prefix;
    }
  }
}

void FuzzCore::learn_order(const Schedule& schedule, const RunSummary& run, bool new_pairs) {
  begin_anew_if_full(paths_, plan_.bounds);
  if (orders_.entries() > 3 * plan_.bounds.order_entries) {  // the two archives stop by themselves
    flips_.forget();
    wanted_.forget();
    less_wanted_.forget();
  }
  bool new_path = false;
  for (std::uint64_t path : thread_paths(run)) {
    new_path |= paths_.insert(path).second;
  }
  if (flip_seed_ != 0 && schedule.seed == flip_seed_) {
    flips_.report(new_path);
  }
  focus_.observe(run);
  RecordedOrder recorded = record_order(run, schedule.points.every_access);
  recorded.entries = orders_.count(std::move(recorded.entries));
  // Out of step everything is new, and little of it leads anywhere.
  bool out_of_step = schedule.scheduler == SchedulerKind::kRoundRobin && schedule.seed % 2 != 0;
  bool worthwhile = (new_path || new_pairs) && !out_of_step;
  if (worthwhile) {
    flips_.add(run, recorded);
  }
  wanted_.add(run, recorded, focus_, worthwhile);
  less_wanted_.add(run, recorded, focus_, worthwhile);
  archive_.add(run, recorded, &focus_);
  wide_archive_.add(run, recorded, nullptr);
}

FuzzCore::Verdict FuzzCore::report(const Schedule& schedule, const RunSummary& run) {
  Verdict verdict;
  if (!run.usable()) {
    return verdict;
  }
  std::vector<Constraint> new_pairs = pool_.observe(run);
  verdict.new_pairs = new_pairs.size();
  if (plan_.scheduler == SchedulerKind::kRff && !plan_.paper) {
    learn_order(schedule, run, !new_pairs.empty());
  }
  corpus_.count(run);
  longest_run_ = std::max(longest_run_, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                            run.scheduling_points, UINT32_MAX)));
  if (run.failed()) {
    return verdict;
  }
  if (schedule.guided || schedule.scheduler != plan_.scheduler) {
    // Worth keeping, but there are no constraints that it comes from and that could be mutated.
    verdict.joined = verdict.new_pairs > 0 || run.new_control_flow;
  } else if (corpus_.interesting(run)) {
    verdict.joined = corpus_.add(schedule.constraints, run);
  }
  return verdict;
}

}  // namespace rff
