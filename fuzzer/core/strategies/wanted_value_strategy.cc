#include "fuzzer/core/strategies/wanted_value_strategy.h"

namespace rff {

std::optional<Schedule> WantedValueStrategy::propose(Random& random) {
  Schedule schedule;
  if (!deciding_.take(random, schedule) &&
      !(undeciding_share_.drawn(random) && undeciding_.take(random, schedule))) {
    return std::nullopt;
  }
  schedule.seed = random.next();
  return schedule;
}

void WantedValueStrategy::observe(const Schedule& /*schedule*/, const Lesson& lesson) {
  deciding_.add(lesson.run, lesson.order, focus_, lesson.worthwhile);
  undeciding_.add(lesson.run, lesson.order, focus_, lesson.worthwhile);
}

void WantedValueStrategy::release_orders() {
  deciding_.forget();
  undeciding_.forget();
}

}  // namespace rff
