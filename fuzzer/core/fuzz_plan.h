// The settings of one search.
#pragma once

#include <cstdint>

#include "fuzzer/core/bounded.h"
#include "fuzzer/core/search_choice.h"
#include "schedule/schedule_file.h"

namespace rff {

struct FuzzPlan {
  std::uint64_t seed = 0;
  SearchChoice search = {};
  TimeoutPolicy timeouts = TimeoutPolicy::kFair;
  bool racing_points = true;  // see SchedulingPoints
  bool exit_is_finding = false;
  Bounds bounds = {};
};

}  // namespace rff
