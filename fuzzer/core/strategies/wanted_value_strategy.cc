#include "fuzzer/core/strategies/wanted_value_strategy.h"

namespace rff {

std::optional<Schedule> WantedValueStrategy::take(Random& random, Share undeciding,
                                                  WantedValues::Only only) {
  Schedule schedule;
  using Only = WantedValues::Only;
  // A value that the program compares with decides, whatever has been seen so far.
  bool compared = only == Only::kAll && (deciding_.take(random, Only::kCompared, schedule) ||
                                         undeciding_.take(random, Only::kCompared, schedule));
  if (!compared && !deciding_.take(random, only, schedule) &&
      !(undeciding.drawn(random) && undeciding_.take(random, only, schedule))) {
    return std::nullopt;
  }
  schedule.seed = random.next();
  return schedule;
}

void WantedValueStrategy::observe(const Schedule& /*schedule*/, const Lesson& lesson) {
  if (lesson.proposer == this || lesson.proposer == &values_together_ ||
      lesson.proposer == &useful_values_) {
    useless_ = lesson.new_path ? 0 : useless_ + 1;
  }
  deciding_.add(lesson.run, lesson.order, focus_, lesson.worthwhile);
  undeciding_.add(lesson.run, lesson.order, focus_, lesson.worthwhile);
}

void WantedValueStrategy::release_orders() {
  deciding_.forget();
  undeciding_.forget();
}

}  // namespace rff
