#include "fuzzer/replay/minimizer.h"

#include <algorithm>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/run/interrupts.h"
#include "property/shrink.h"
#include "schedule/input_parts.h"

namespace rff {
namespace {

constexpr std::uint64_t kSeedsPerSet = 4;
constexpr std::uint64_t kStepsWithoutProgress = 20'000;

}  // namespace

void Minimizer::report() {
  result_.runs = runs();
  result_.constraints_after = schedule_.constraints.size();
  result_.switches_after = switch_count(order_);
  result_.input_after = schedule_.input.bytes.size();
  progress_(result_);
}

bool Minimizer::same_failure(const Run& run) { return same_finding(wanted_, run.finding, debug_); }

bool Minimizer::constraints_fail(const std::vector<Constraint>& constraints) {
  Schedule s = schedule_;
  s.constraints = {};
  for (const Constraint& c : constraints) {
    s.constraints.insert(c);
  }
  for (std::uint64_t i = 0; i < kSeedsPerSet && !enough_for_constraints(); ++i) {
    s.seed = schedule_.seed + i;
    report();
    Run run = runner_.run(s);
    if (same_failure(run)) {
      schedule_ = s;
      best_ = std::move(run);
      order_ = order_of(best_.trace);
      report();
      return true;
    }
  }
  return false;
}

// Returns whether the bytes lead to the failure, in the order of the best run as far as possible,
// and then adopts them.
bool Minimizer::input_fails(const std::string& bytes) {
  ProgramInput input = schedule_.input;
  input.bytes = bytes;
  if (enough() || !arrives_whole(input)) {
    return false;
  }
  Schedule s = guided(schedule_, order_);
  s.input.bytes = bytes;
  if (wanted_.kind != FindingKind::kHang) {
    s.max_steps = kStepsWithoutProgress + order_.size();
  }
  report();
  Run run = runner_.run(s);
  if (!same_failure(run)) {
    return false;
  }
  schedule_.input.bytes = bytes;
  best_ = std::move(run);
  order_ = order_of(best_.trace);
  report();
  return true;
}

void Minimizer::smaller_input(std::uint64_t most_runs) {
  if (!schedule_.input.given() || enough()) {
    return;
  }
  std::string bytes = schedule_.input.bytes;
  rff_shrink(
      reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
      [](void* self, const unsigned char* data, std::size_t size) {
        std::string candidate(reinterpret_cast<const char*>(data), size);
        return static_cast<Minimizer*>(self)->input_fails(candidate) ? 1 : 0;
      },
      this, most_runs);
}

// Removes smaller and smaller groups of constraints, as long as the rest still fails.
void Minimizer::fewer_constraints() {
  if (schedule_.scheduler != SchedulerKind::kRff || schedule_.constraints.empty() ||
      !constraints_fail(schedule_.constraints.constraints())) {
    return;
  }
  for (std::size_t group = schedule_.constraints.size(); group >= 1 && !enough_for_constraints();
       group /= 2) {
    for (std::size_t i = 0; i < schedule_.constraints.size() && !enough_for_constraints();) {
      std::vector<Constraint> rest = schedule_.constraints.constraints();
      auto begin = rest.begin() + static_cast<std::ptrdiff_t>(i);
      rest.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(group, rest.size() - i)));
      if (!constraints_fail(rest)) {
        i += group;
      }
    }
  }
}

bool Minimizer::try_order(const ThreadOrder& order) {
  Schedule s = guided(schedule_, order);
  if (wanted_.kind != FindingKind::kHang) {
    s.max_steps = kStepsWithoutProgress + order.size();
  }
  report();
  Run run = runner_.run(s);
  if (!same_failure(run)) {
    return false;
  }
  ThreadOrder seen = order_of(run.trace);
  // Fewer switches are progress, and so are as many switches in fewer steps.
  auto cost = [](const ThreadOrder& o) { return std::pair(switch_count(o), o.size()); };
  if (cost(seen) >= cost(order_)) {
    return false;
  }
  best_ = std::move(run);
  order_ = std::move(seen);
  report();
  return true;
}

bool Minimizer::try_grouped(std::size_t begin, std::size_t end) {
  for (GroupedBy by : {GroupedBy::kFirstStep, GroupedBy::kLastStep}) {
    ThreadOrder candidate = grouped(order_, begin, end, by);
    if (switch_count(candidate) < switch_count(order_) && !enough() && try_order(candidate)) {
      return true;
    }
  }
  return false;
}

// Moves each thread that plays no part in the failure before or after everything else.
void Minimizer::order_whole_threads() {
  std::vector<std::uint16_t> threads = order_;
  std::sort(threads.begin(), threads.end());
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  for (std::uint16_t thread : threads) {
    for (const ThreadOrder& candidate : {with_first(order_, thread), with_last(order_, thread)}) {
      if (switch_count(candidate) < switch_count(order_) && !enough() && try_order(candidate)) {
        break;
      }
    }
  }
}

// From the beginning on, finds by bisection the longest parts in which each thread can do all its
// steps at once. At the end of each part there is a switch that the failure needs.
void Minimizer::group_windows() {
  std::size_t begin = 0;
  while (begin + 1 < order_.size() && !enough()) {
    std::size_t good = begin + 1;
    std::size_t bad = order_.size() + 1;
    while (good + 1 < bad && !enough()) {
      std::size_t end = bad > order_.size() ? order_.size() : good + (bad - good) / 2;
      bool nothing_to_do = switch_count(grouped(order_, begin, end)) == switch_count(order_);
      if (nothing_to_do || try_grouped(begin, end)) {
        good = std::min(end, order_.size());
        bad = std::min(bad, order_.size() + 1);
        if (end >= order_.size()) {
          break;
        }
      } else {
        bad = end;
      }
    }
    begin = good;
  }
}

// Tries the stretches in turn: postpones a stretch until after the failure, or joins it with the
// thread's next one.
bool Minimizer::improve_once() {
  std::vector<Stretch> all = stretches(order_);
  for (std::size_t n = 0; n < all.size() && !enough(); ++n) {
    next_ = next_ < all.size() ? next_ : 0;
    const Stretch& s = all[all.size() - 1 - next_++];
    if (s.end < order_.size() && try_order(moved(order_, s.begin, s.end, order_.size()))) {
      return true;
    }
    auto later = std::find_if(all.begin(), all.end(), [&](const Stretch& o) {
      return o.begin >= s.end && o.thread == s.thread;
    });
    if (later == all.end() || enough()) {
      continue;
    }
    if (try_order(moved(order_, later->begin, later->end, s.end)) ||
        (!enough() && try_order(moved(order_, s.begin, s.end, later->begin)))) {
      return true;
    }
  }
  return false;
}

void Minimizer::fewer_switches() {
  order_whole_threads();
  group_windows();
  order_whole_threads();
  next_ = 0;
  while (!enough() && improve_once()) {
  }
}

Minimized Minimizer::minimize(const Schedule& schedule, const Run& failing) {
  first_run_ = runner_.runs();
  wanted_ = failing.finding;
  schedule_ = schedule;
  schedule_.finding.reset();
  schedule_.prefix.clear();
  best_ = failing;
  order_ = order_of(failing.trace);
  result_ = {};
  result_.constraints_before = schedule.constraints.size();
  result_.switches_before = switch_count(order_);
  result_.input_before = result_.input_after = schedule.input.bytes.size();
  try {
    smaller_input(max_runs_ / 2);
    fewer_constraints();
    fewer_switches();
    smaller_input(max_runs_);  // with fewer switches more inputs may fail
  } catch (const Interrupted&) {
    result_.exhausted = true;
  }
  runner_.stop_when(give_up());

  result_.schedule = schedule_;
  result_.schedule.finding = best_.finding;
  Run again = runner_.run(result_.schedule);
  if (!same_failure(again) || again.finding.trace_hash != best_.finding.trace_hash) {
    throw tool_failed(
        "the minimized schedule does not replay: please report this with the schedule");
  }
  report();
  result_.run = std::move(again);
  return result_;
}

}  // namespace rff
