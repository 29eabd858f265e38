// Finds the stop points that a user chose for one build of a program in another build.
#pragma once

#include <string>
#include <vector>

#include "schedule/schedule_file.h"

namespace rff {

// Looks them up again as the user wrote them. Throws ToolError (2) if the program has them no more.
std::vector<StopRule> stops_in(const std::string& program, const std::vector<StopRule>& rules);

}  // namespace rff
