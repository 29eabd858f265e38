// The lossless JSON form of a schedule, for people and other programs.
#pragma once

#include <string>

#include "schedule/schedule_file.h"

namespace rff {

// `summary`: the finding in one line, for people; readers leave it out.
std::string schedule_to_json(const Schedule& schedule, const std::string& summary = "");
DecodeResult schedule_from_json(const std::string& text);

}  // namespace rff
