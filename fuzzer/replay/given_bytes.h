// Files of bytes that the user gives rff-replay: schedules and inputs.
#pragma once

#include "fuzzer/replay/options.h"
#include "schedule/schedule_file.h"

namespace rff {

// Returns a schedule that depends on nothing but the bytes of a file (--bytes). Throws ToolError.
Schedule schedule_of_bytes(const ReplayOptions& options);

// Where runs of the program stop under such a schedule.
SchedulingPoints points_under_bytes(const std::string& program);

// Carries out --with-input and --extract-input. Throws ToolError.
void use_inputs(const ReplayOptions& options, Schedule& schedule);

}  // namespace rff
