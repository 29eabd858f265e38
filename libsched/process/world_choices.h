// Makes the random choices of the program's world, apart from the scheduler: which waiter a signal
// wakes, which thread takes a signal of the process. The systematic search chooses it, too.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedule/hash.h"
#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"

namespace rff {

class WorldChoices {
 public:
  // `schedule` must outlive the run. `record`: null if there is none.
  void start(const Schedule& schedule, RunRecord* record) {
    random_ = Random(hash_combine(schedule.seed, kOwnRandom));
    exploration_ =
        schedule.scheduler == SchedulerKind::kSystematic ? &schedule.exploration : nullptr;
    record_ = record;
    at_ = 0;
  }

  // Returns one of the numbers below `bound`, which is not 0.
  std::uint64_t below(std::uint64_t bound) {
    if (exploration_ == nullptr) {
      return random_.below(bound);
    }
    if (bound == 1) {
      return 0;
    }
    std::uint64_t value =
        at_ < exploration_->choices.size() ? exploration_->choices[at_] : std::uint64_t{0};
    ++at_;
    value = std::min(value, bound - 1);
    if (record_ != nullptr) {
      record_->world_choices.append({static_cast<std::uint32_t>(bound),
                                     static_cast<std::uint32_t>(value), record_->steps.size()});
    }
    return value;
  }

 private:
  static constexpr std::uint64_t kOwnRandom = 0x63686f6963657331ULL;

  Random random_;
  const Exploration* exploration_ = nullptr;
  RunRecord* record_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace rff
