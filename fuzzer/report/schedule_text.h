// Describes a schedule in words.
#pragma once

#include <string>

#include "fuzzer/debug/debug_info.h"
#include "schedule/schedule_file.h"

namespace rff {

// Describes the whole schedule (--show).
std::string schedule_text(const Schedule& schedule, DebugInfo& debug);
std::string constraint_text(const Constraint& c, DebugInfo& debug);
// Returns the input as text if it is printable, else as bytes in hexadecimal: one line, cut off
// where it gets long.
std::string input_text(const ProgramInput& input);
std::string command_text(const Target& target);

}  // namespace rff
