// Converts a schedule to and from JSON without loss, for people and for other programs.
#pragma once

#include <string>

#include "schedule/schedule_file.h"

namespace rff {

// `summary` describes the finding in one line, for people. Reading ignores it.
std::string schedule_to_json(const Schedule& schedule, const std::string& summary = "");
DecodeResult schedule_from_json(const std::string& text);

}  // namespace rff
