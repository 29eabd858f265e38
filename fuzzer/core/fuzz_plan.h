// The settings of one search.
#pragma once

#include <cstdint>
#include <vector>

#include "fuzzer/core/bounded.h"
#include "schedule/schedule_file.h"
#include "schedule/search_choice.h"

namespace rff {

struct FuzzPlan {
  std::uint64_t seed = 0;
  SearchChoice search = {};
  EventSelection selection = {};  // with kSelective
  Preemption timeouts = kDefaultPreemption;
  bool racing_points = true;         // see SchedulingPoints
  std::vector<StopRule> stops = {};  // likewise
  bool exit_is_finding = false;
  bool checks_memory = false;  // a use of freed memory is a finding
  Bounds bounds = {};
};

}  // namespace rff
