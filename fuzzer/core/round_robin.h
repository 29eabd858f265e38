// Makes round robin schedules and recognizes their two modes. The lowest bit of the seed stores the
// mode.
#pragma once

#include <cstdint>

#include "schedule/schedule_file.h"

namespace rff {

enum class RoundRobinMode {
  kInStep,     // switches at every point, youngest thread first
  kOutOfStep,  // each thread passes its own number of points in a row
};

inline Schedule round_robin(RoundRobinMode mode, Random& random) {
  Schedule schedule;
  schedule.scheduler = SchedulerKind::kRoundRobin;
  std::uint64_t seed = random.next();
  schedule.seed = mode == RoundRobinMode::kInStep ? seed & ~std::uint64_t{1} : seed | 1;
  return schedule;
}

inline bool is_out_of_step(const Schedule& schedule) {
  return schedule.scheduler == SchedulerKind::kRoundRobin && schedule.seed % 2 != 0;
}

}  // namespace rff
