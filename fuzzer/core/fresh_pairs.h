// Reads-from pairs that have just been seen for the first time, waiting to be forbidden.
//
// The first question a new pair raises is what happens without it: the schedule that showed it,
// with the pair negated, is the insertion most likely to lead somewhere new. Random insertions
// would come to it, too, but late, and not under the schedule that matters: the power schedule soon
// leaves out what most runs look like.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fuzzer/core/event_pool.h"
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

  // Any of them: the schedule with the pair forbidden. None if none is left that a schedule could
  // prevent. All have their first turn before one has its second, with another seed: what a
  // schedule asks for does not always happen.
  std::optional<AbstractSchedule> take(Random& random, const EventPool& pool) {
    for (std::vector<Waiting>* from : {&waiting_, &again_}) {
      while (!from->empty()) {
        std::swap((*from)[random.below(from->size())], from->back());
        Waiting taken = std::move(from->back());
        from->pop_back();
        if (pool.steerable(taken.negated.write) && pool.steerable(taken.negated.read)) {
          AbstractSchedule schedule = *taken.schedule;
          schedule.insert(taken.negated);
          if (from == &waiting_) {
            again_.push_back(std::move(taken));
          }
          return schedule;
        }
      }
    }
    return std::nullopt;
  }

 private:
  struct Waiting {
    std::shared_ptr<const AbstractSchedule> schedule;
    Constraint negated;
  };
  std::vector<Waiting> waiting_;
  std::vector<Waiting> again_;
};

}  // namespace rff
