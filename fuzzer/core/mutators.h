// The paper's mutations of an abstract schedule: insert, swap, delete, negate; and leaving it as it
// is, to be run with another seed. Every mutant gets a new seed.
#pragma once

#include "fuzzer/core/event_pool.h"
#include "schedule/abstract_schedule.h"

namespace rff {

enum class Mutation { kInsert, kSwap, kDelete, kNegate, kReseed };

class Mutator {
 public:
  // kPositive of kOutOf drawn constraints ask for a pair; the others forbid one. A pair that must
  // not be is the stronger lever: it reorders whatever stands in its way, for all threads and for
  // the whole run.
  static constexpr unsigned kPositive = 1;
  static constexpr unsigned kOutOf = 9;

  Mutator(EventPool& pool, Random& random) : pool_(pool), random_(random) {}

  // Changes `schedule` and says how. What is not possible (nothing to delete, no pair known, …)
  // becomes an insertion, and failing that a new seed.
  Mutation mutate(AbstractSchedule& schedule);

 private:
  bool insert(AbstractSchedule& schedule);
  bool swap(AbstractSchedule& schedule);
  std::optional<Constraint> draw() {
    return pool_.draw(random_, random_.chance(kPositive, kOutOf));
  }
  std::size_t any_index(const AbstractSchedule& schedule) { return random_.below(schedule.size()); }

  EventPool& pool_;
  Random& random_;
};

}  // namespace rff
