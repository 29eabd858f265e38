#include "fuzzer/core/period.h"

#include <algorithm>

namespace rff {

PeriodSchedules::PeriodSchedules(std::vector<std::size_t> points, std::size_t extra)
    : left_(std::move(points)), extra_(extra) {
  for (std::size_t n : left_) {
    threads_left_ += n > 0 ? 1 : 0;
    points_left_ += n;
  }
  fewest_ = threads_left_;
}

void PeriodSchedules::take(const Period& period) {
  left_[period.thread] -= period.points;
  points_left_ -= period.points;
  threads_left_ -= left_[period.thread] == 0 ? 1 : 0;
}

void PeriodSchedules::give_back(const Period& period) {
  threads_left_ += left_[period.thread] == 0 ? 1 : 0;
  left_[period.thread] += period.points;
  points_left_ += period.points;
}

// Whether the rest can follow in the periods that are left after this one. May be wrong if three or
// more threads are left: then a later period has no choice.
bool PeriodSchedules::possible(std::size_t thread, std::size_t points) const {
  std::size_t periods = periods_ - levels_.size() - 1;
  std::size_t own = left_[thread] - points;
  std::size_t others = points_left_ - left_[thread];
  std::size_t threads = threads_left_ - (own == 0 ? 1 : 0);
  if (periods == 0) {
    return own + others == 0;
  }
  if (others == 0 || periods < threads || periods > own + others) {
    return false;
  }
  if (threads == 1) {
    return periods == 1;
  }
  // Two threads take turns, the other one first.
  return threads > 2 || own == 0 || periods <= 2 * std::min(own, others) + (others > own ? 1 : 0);
}

std::vector<Period> PeriodSchedules::choices() const {
  std::vector<Period> result;
  std::size_t n = left_.size();
  std::size_t last = levels_.empty() ? n - 1 : levels_.back().choices[levels_.back().at].thread;
  std::size_t end = levels_.empty() ? n : n - 1;  // neighbors are different threads
  for (std::size_t k = 1; k <= end; ++k) {
    std::size_t thread = (last + k) % n;
    for (std::size_t points = left_[thread]; points > 0; --points) {
      if (possible(thread, points)) {
        result.push_back({thread, points});
      }
    }
  }
  return result;
}

std::size_t PeriodSchedules::others_chosen() const {
  return static_cast<std::size_t>(
      std::count_if(levels_.begin(), levels_.end(), [](const Level& l) { return l.at > 0; }));
}

bool PeriodSchedules::go_deeper() {
  std::vector<Period> next = choices();
  if (next.empty()) {
    return false;
  }
  take(next[0]);
  levels_.push_back({std::move(next), 0});
  return true;
}

bool PeriodSchedules::go_on() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    give_back(level.choices[level.at]);
    ++level.at;
    if (level.at < level.choices.size() && others_chosen() <= unusual_) {
      take(level.choices[level.at]);
      return true;
    }
    levels_.pop_back();
  }
  return false;
}

bool PeriodSchedules::next_part() {
  if (begun_ && periods_ > fewest_) {
    --periods_;
  } else {
    cost_ += begun_ ? 1 : 0;
    periods_ = fewest_ + std::min(extra_, cost_);
    begun_ = true;
  }
  unusual_ = cost_ - (periods_ - fewest_);
  return cost_ <= extra_ + (fewest_ + extra_);  // no schedule has more choices than periods
}

bool PeriodSchedules::next(std::vector<Period>& schedule) {
  if (fewest_ < 2) {
    return false;
  }
  for (;;) {
    bool more = go_on();
    while (!more) {
      if (!next_part()) {
        return false;
      }
      more = go_deeper();
    }
    while (levels_.size() < periods_ && go_deeper()) {
    }
    if (levels_.size() == periods_ && others_chosen() == unusual_) {
      schedule.clear();
      for (const Level& level : levels_) {
        schedule.push_back(level.choices[level.at]);
      }
      return true;
    }
  }
}

}  // namespace rff
