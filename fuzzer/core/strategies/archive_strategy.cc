#include "fuzzer/core/strategies/archive_strategy.h"

namespace rff {

std::optional<Schedule> ArchiveStrategy::propose(Random& random) {
  const Archive& archive = values_share_.drawn(random)     ? values_
                           : deciding_share_.drawn(random) ? deciding_
                                                           : all_;
  Schedule schedule;
  if (!archive.take(random, schedule)) {
    return std::nullopt;
  }
  schedule.seed = random.next();
  return schedule;
}

void ArchiveStrategy::observe(const Schedule& /*schedule*/, const Lesson& lesson) {
  values_.add(lesson.run, lesson.order, &focus_);
  deciding_.add(lesson.run, lesson.order, &focus_);
  all_.add(lesson.run, lesson.order, nullptr);
}

}  // namespace rff
