// The lossless JSON form of a schedule, for people and other programs.
#pragma once

#include <string>

#include "schedule/schedule_file.h"

namespace rff {

std::string schedule_to_json(const Schedule& schedule);
DecodeResult schedule_from_json(const std::string& text);

}  // namespace rff
