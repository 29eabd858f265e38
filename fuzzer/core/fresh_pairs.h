// Reads-from pairs that have just been seen for the first time, waiting to be forbidden once.
//
// The first question a new pair raises is what happens without it: the schedule that showed it, with the pair
// negated, is the insertion most likely to lead somewhere new. Random insertions would come to it, too, but late, and
// not under the schedule that matters: the power schedule soon leaves out what most runs look like.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "schedule/abstract_schedule.h"

namespace rff {

class FreshPairs {
 public:
  // `pairs` are new, as positive constraints, in a run of `schedule`.
  void add(const AbstractSchedule& schedule, const std::vector<Constraint>& pairs) {
    auto shared = std::make_shared<AbstractSchedule>(schedule);
    for (const Constraint& pair : pairs) {
      if (pair.valid() && pair.write.op != OpKind::kUnseen) {
        waiting_.push_back({shared, pair.negated()});
      }
    }
  }

  bool empty() const { return waiting_.empty(); }

  // Any of them, once: the schedule with the pair forbidden.
  AbstractSchedule take(Random& random) {
    std::size_t index = random.below(waiting_.size());
    std::swap(waiting_[index], waiting_.back());
    AbstractSchedule schedule = *waiting_.back().schedule;
    schedule.insert(waiting_.back().negated);
    waiting_.pop_back();
    return schedule;
  }

 private:
  struct Waiting {
    std::shared_ptr<const AbstractSchedule> schedule;
    Constraint negated;
  };
  std::vector<Waiting> waiting_;
};

}  // namespace rff
