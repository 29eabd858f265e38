// A schedule on another build of its program. The decisions are step numbers and do not outlive a
// change; the abstract schedule is names, and does.
#pragma once

#include <optional>
#include <string>

#include "fuzzer/replay/replay_run.h"
#include "fuzzer/replay/target_locator.h"

namespace rff {

struct RebuiltResult {
  std::size_t constraints = 0;  // that could be carried over
  std::size_t constraints_before = 0;
  std::uint64_t runs = 0;
  std::optional<Schedule> schedule;  // with its finding, if the failure was found again
  Run run;
};

// `schedule`: as recorded, but with the target to run. Tries seeds within `max_runs` runs.
RebuiltResult try_abstract_schedule(const Schedule& schedule, const LocatedTarget& target,
                                    ReplayRunner& runner, std::uint64_t max_runs);

}  // namespace rff
