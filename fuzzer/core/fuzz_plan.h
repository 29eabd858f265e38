// The settings of one search.
#pragma once

#include <cstdint>

#include "fuzzer/core/bounded.h"
#include "schedule/schedule_file.h"

namespace rff {

struct FuzzPlan {
  std::uint64_t seed = 0;
  SchedulerKind scheduler = SchedulerKind::kRff;
  bool paper = false;  // with kRff: only the published loop
  std::uint32_t pct_depth = 3;
  TimeoutPolicy timeouts = TimeoutPolicy::kFair;
  bool racing_points = true;  // see SchedulingPoints
  bool exit_is_finding = false;
  Bounds bounds = {};

  // The default search learns from the order of events as well as from reads-from.
  bool learns_from_order() const { return scheduler == SchedulerKind::kRff && !paper; }
};

}  // namespace rff
