#include "fuzzer/core/fuzz_core.h"

#include <algorithm>

#include "fuzzer/core/strategies/make_portfolio.h"

namespace rff {

FuzzCore::FuzzCore(const FuzzPlan& plan)
    : plan_(plan),
      random_(mix64(plan.seed ^ 0x5246462d66757a7aULL)),
      knowledge_(plan),
      corpus_(plan.bounds),
      portfolio_(make_portfolio(plan, knowledge_, corpus_)) {}

void FuzzCore::add_initial(const Schedule& schedule) {
  initial_.push_back(schedule);
  portfolio_.opening().replace_first_run();
}

Schedule FuzzCore::next_schedule(std::uint32_t points_version) {
  Schedule s = initial_.empty() ? portfolio_.propose(random_) : next_initial();
  set_up(s, points_version);
  return s;
}

std::vector<Schedule> FuzzCore::foresee(std::size_t most, std::uint32_t points_version) {
  std::vector<Schedule> schedules = portfolio_.foresee(most);
  for (Schedule& s : schedules) {
    set_up(s, points_version);
  }
  return schedules;
}

void FuzzCore::set_up(Schedule& s, std::uint32_t points_version) const {
  s.pct_depth = plan_.search.depth;
  s.delay_bound = plan_.search.bound;
  s.bytes_stay = plan_.search.stay;
  s.bytes_end = plan_.search.end;
  s.pct_length = scheduler_row(s.scheduler).has(SchedulerParameter::kLength) ? longest_run_ : 0;
  s.timeouts = plan_.timeouts;
  s.exit_is_finding = plan_.exit_is_finding;
  // Reads-from classes differ also in reads that race with nothing.
  bool reads_from = s.scheduler == SchedulerKind::kSystematic &&
                    plan_.search.systematic.classes == SystematicChoice::Classes::kReadsFrom;
  s.points = {.racing = plan_.racing_points && !reads_from,
              .every_access = s.scheduler == SchedulerKind::kRoundRobin && plan_.stops.empty(),
              .listed = false,
              .shared_version = points_version,
              .sites = {},
              .handed_over = {},
              .stops = plan_.stops};
}

// Adapts a schedule from an earlier campaign or from the user to the plan.
Schedule FuzzCore::next_initial() {
  Schedule given = std::move(initial_.front());
  initial_.pop_front();
  Schedule s;
  s.constraints = std::move(given.constraints);
  s.seed = given.seed;
  s.stream = std::move(given.stream);
  s.patience = given.patience;
  s.scheduler = plan_.search.scheduler;
  if (plan_.search.learns_from_order()) {
    s.scheduler = given.scheduler;
    if (given.guided) {
      s.guided = true;
      s.prefix = std::move(given.prefix);
    }
  }
  return s;
}

FuzzCore::Verdict FuzzCore::report(const Schedule& schedule, const RunSummary& run) {
  if (!run.usable()) {
    portfolio_.lost(schedule, run.outcome);
    return {};
  }
  if (knowledge_.holds_too_many_orders()) {
    portfolio_.release_orders();
  }
  Lesson lesson = knowledge_.learn(schedule, run);
  lesson.new_points = points_ > schedule.points.shared_version;
  Verdict verdict = {.new_pairs = lesson.new_pairs};
  portfolio_.observe(schedule, std::move(lesson));
  corpus_.count(run);
  if (!schedule.points.every_access) {
    longest_run_ = std::max(longest_run_, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                              run.scheduling_points, UINT32_MAX)));
  }
  verdict.joined = !run.failed() && joins_corpus(schedule, run, verdict.new_pairs);
  return verdict;
}

bool FuzzCore::joins_corpus(const Schedule& schedule, const RunSummary& run,
                            std::size_t new_pairs) {
  if (!plan_.search.feedback) {
    return false;
  }
  if (schedule.guided || schedule.scheduler != plan_.search.scheduler) {
    // The schedule is worth keeping, but has no constraints that could be mutated.
    return new_pairs > 0 || run.new_control_flow;
  }
  return corpus_.interesting(run) && corpus_.add(schedule.constraints, run);
}

}  // namespace rff
