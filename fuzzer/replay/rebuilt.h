// A schedule on another build of its program. Its decisions are followed as far as what threads do
// there has the same names; the abstract schedule is names only, and outlives more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzzer/replay/target_locator.h"
#include "fuzzer/run/runner.h"

namespace rff {

// Whether the run failed as the recorded one did, as far as names tell.
bool same_failure_by_name(const Schedule& recorded, const LocatedTarget& target, const Run& run);

struct CarriedOver {
  Schedule schedule;
  Run run;                            // of it
  std::vector<std::string> expected;  // what the recorded run did at each decision
};
// Runs the recorded build, and then the new one with the same decisions. Nothing if the recorded
// one is gone or no longer fails.
std::optional<CarriedOver> carry_over(const Schedule& schedule, const LocatedTarget& target,
                                      Runner& runner);

struct RebuiltResult {
  std::size_t constraints = 0;  // that could be carried over
  std::size_t constraints_before = 0;
  // Of the constraints, or of what the recorded run did where there are none: how much the new
  // build has, too.
  std::size_t to_follow = 0;
  std::size_t followed = 0;
  std::uint64_t runs = 0;
  std::optional<Schedule> schedule;  // with its finding, if the failure was found again
  Run run;

  // Whether it means something that the failure was not found again.
  bool can_judge() const { return to_follow > 0 && 2 * followed >= to_follow; }
};

// `schedule`: as recorded, but with the target to run. Tries seeds within `max_runs` runs.
RebuiltResult try_abstract_schedule(const Schedule& schedule, const LocatedTarget& target,
                                    Runner& runner, std::uint64_t max_runs);

}  // namespace rff
