#include "fuzzer/core/strategies/flip_strategy.h"

namespace rff {

std::optional<Schedule> FlipStrategy::take(Random& random, bool promising) {
  Schedule schedule;
  if (!flips_.take(random, knowledge_.pool(), knowledge_.focus(), promising, schedule)) {
    return std::nullopt;
  }
  schedule.seed = random.next();
  return schedule;
}

void FlipStrategy::observe(const Schedule& /*schedule*/, const Lesson& lesson) {
  if (lesson.proposer == this || lesson.proposer == &any_flip_) {
    flips_.report(lesson.new_path);
  }
  if (lesson.worthwhile) {
    flips_.add(lesson.run, lesson.order);
  }
}

}  // namespace rff
