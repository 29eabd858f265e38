#include "fuzzer/core/strategies/bytes_strategy.h"

#include "fuzzer/core/input_mutators.h"

namespace rff {

std::optional<Schedule> BytesStrategy::propose(Random& random) {
  Schedule schedule;
  schedule.scheduler = SchedulerKind::kBytes;
  schedule.seed = random.next();
  if (streams_.empty()) {
    for (std::size_t length = random.below(64); length > 0; --length) {
      schedule.stream += static_cast<char>(random.below(256));
    }
    return schedule;
  }
  const std::string& parent = streams_[random.below(streams_.size())];
  const std::string& other = streams_[random.below(streams_.size())];
  schedule.stream = mutate_input(parent, other, {}, {.most = kLongest}, random).bytes;
  return schedule;
}

void BytesStrategy::observe(const Schedule& schedule, const Lesson& lesson) {
  if (lesson.new_pairs > 0 && streams_.size() < kMostStreams &&
      schedule.scheduler == SchedulerKind::kBytes) {
    streams_.push_back(schedule.stream);
  }
}

}  // namespace rff
