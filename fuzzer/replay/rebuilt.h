// Tries a schedule on another build of its program. Its decisions are followed as long as the
// threads' events there have the same names; the abstract schedule consists of names only, and
// survives more changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzzer/replay/target_locator.h"
#include "fuzzer/run/runner.h"

namespace rff {

// Returns whether the run failed like the recorded one, judging by names.
bool same_failure_by_name(const Schedule& recorded, const LocatedTarget& target, const Run& run);

struct CarriedOver {
  Schedule schedule;
  Run run;                            // the run of `schedule`
  std::vector<std::string> expected;  // what the recorded run did at each decision
};
// Runs the recorded build, and then the new one with the same decisions. Returns nothing if the
// recorded build is gone or no longer fails.
std::optional<CarriedOver> carry_over(const Schedule& schedule, const LocatedTarget& target,
                                      Runner& runner);

struct RebuiltResult {
  std::size_t constraints = 0;  // the number that could be carried over
  std::size_t constraints_before = 0;
  // The number of constraints, or of events that the recorded run decided if there are no
  // constraints, and how many of them the new build has, too.
  std::size_t to_follow = 0;
  std::size_t followed = 0;
  std::uint64_t runs = 0;
  std::optional<Schedule> schedule;  // with its finding, if the failure was found again
  Run run;

  // Returns whether not finding the failure again is meaningful.
  bool can_judge() const { return to_follow > 0 && 2 * followed >= to_follow; }
};

// `schedule`: as recorded, except for the target to run. Tries seeds within `max_runs` runs.
RebuiltResult try_abstract_schedule(const Schedule& schedule, const LocatedTarget& target,
                                    Runner& runner, std::uint64_t max_runs);

}  // namespace rff
