#include "fuzzer/core/strategies/period_strategy.h"

#include <algorithm>

namespace rff {
namespace {

// Whether the run passed over a thread whose turn it was and which went on later. A thread that has
// ended misses none of its points.
bool met_blocked_thread(const Schedule& schedule, const RunSummary& run) {
  std::vector<std::uint16_t> order;  // the threads of the points
  std::vector<std::size_t> left;     // points, by thread
  for (const Step& s : run.steps) {
    if (s.check != 0) {
      order.push_back(s.thread);
      left.resize(std::max<std::size_t>(left.size(), s.thread + 1u));
      ++left[s.thread];
    }
  }
  std::size_t at = 0;
  for (const Decision& turn : schedule.prefix) {
    if (turn.thread >= left.size() || left[turn.thread] == 0) {
      continue;
    }
    if (order[at] != turn.thread) {
      return true;
    }
    ++at;
    --left[turn.thread];
  }
  return false;
}

}  // namespace

std::optional<Schedule> PeriodStrategy::propose(Random& random) {
  Schedule schedule;
  schedule.scheduler = SchedulerKind::kPeriod;
  if (!profiled_) {
    profiled_ = true;
    ++counts_.profiles;
    schedule.seed = random.next();
    return schedule;
  }
  clear_if_full(tried_, bounds_);
  std::vector<Period> periods;
  while (schedules_.next(periods)) {
    std::uint64_t id = 0;
    for (const Period& p : periods) {
      id = hash_combine(hash_combine(id, p.thread), p.points);
    }
    if (!tried_.insert(id).second) {
      continue;
    }
    for (const Period& p : periods) {
      Decision any = {static_cast<std::uint16_t>(p.thread), EventCheck()};
      schedule.prefix.insert(schedule.prefix.end(), p.points, any);
    }
    schedule.guided = true;
    schedule.seed = random.next();
    return schedule;
  }
  return std::nullopt;
}

void PeriodStrategy::observe(const Schedule& schedule, const Lesson& lesson) {
  if (lesson.proposer == this && met_blocked_thread(schedule, lesson.run)) {
    ++counts_.blocked;
  }
  std::vector<std::size_t> points;
  for (const Step& s : lesson.run.steps) {
    if (s.check != 0 && s.thread < kMaxThreads) {
      points.resize(std::max<std::size_t>(points.size(), s.thread + 1u));
      points[s.thread] = std::min(points[s.thread] + 1, kMaxPoints);
    }
  }
  bool more = points.size() > points_.size();
  points_.resize(std::max(points.size(), points_.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    more |= points[i] > points_[i];
    points_[i] = std::max(points[i], points_[i]);
  }
  if (more) {
    schedules_ = PeriodSchedules(points_, extra_);
  }
}

}  // namespace rff
