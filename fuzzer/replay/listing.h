// Prints schedules and findings without running a program. Each function returns the exit status.
#pragma once

#include <string>
#include <vector>

#include "schedule/schedule_file.h"

namespace rff {

int show_schedule(const Schedule& schedule, bool json);
// Lists the findings of a campaign, for the user to choose from.
int list_findings(const std::vector<std::string>& folders);

}  // namespace rff
