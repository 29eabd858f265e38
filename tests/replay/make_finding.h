// Makes schedule files with findings, without a campaign: tries seeds until the program fails, and
// records that run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/schedule_file.h"

namespace rff::test {

// `command`: a patched program and its arguments. Returns nothing if none of `seeds` seeds from
// `first` on fails.
std::optional<Schedule> make_finding(const std::vector<std::string>& command,
                                     SchedulerKind scheduler, int seeds, int first = 1);

}  // namespace rff::test
