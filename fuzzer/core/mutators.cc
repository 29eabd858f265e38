#include "fuzzer/core/mutators.h"

namespace rff {

Mutation Mutator::mutate(AbstractSchedule& schedule) {
  auto wanted = static_cast<Mutation>(random_.below(5));
  if (wanted == Mutation::kReseed) {
    return wanted;
  }
  if (!schedule.empty()) {
    switch (wanted) {
      case Mutation::kSwap:
        if (swap(schedule)) {
          return wanted;
        }
        break;
      case Mutation::kDelete: schedule.erase(any_index(schedule)); return wanted;
      case Mutation::kNegate: schedule.negate(any_index(schedule)); return wanted;
      default: break;
    }
  }
  return insert(schedule) ? Mutation::kInsert : Mutation::kReseed;
}

bool Mutator::insert(AbstractSchedule& schedule) {
  std::optional<Constraint> constraint = draw();
  return constraint && schedule.insert(*constraint);
}

bool Mutator::swap(AbstractSchedule& schedule) {
  std::optional<Constraint> constraint = draw();
  return constraint && schedule.swap(any_index(schedule), *constraint);
}

}  // namespace rff
