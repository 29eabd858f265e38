// The paper's mutations of an abstract schedule: insert, swap, delete and negate a constraint, or
// keep all of them. Every mutant gets a new seed.
#pragma once

#include "fuzzer/core/event_pool.h"
#include "schedule/abstract_schedule.h"

namespace rff {

enum class Mutation { kInsert, kSwap, kDelete, kNegate, kReseed };

class Mutator {
 public:
  // kPositive of kOutOf drawn constraints ask for a pair; the others forbid one. Forbidding has the
  // stronger effect: it applies to all threads and to the whole run.
  static constexpr unsigned kPositive = 1;
  static constexpr unsigned kOutOf = 9;

  Mutator(EventPool& pool, Random& random) : pool_(pool), random_(random) {}

  // Changes `schedule` and returns the mutation. An impossible one (nothing to delete, no pair
  // known, …) is replaced by an insertion, or else by a new seed alone.
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
