// Converts a Failure to and from its part of the JSON form of a schedule.
#pragma once

#include <nlohmann/json.hpp>

#include "schedule/failure.h"

namespace rff {

nlohmann::json failure_to_json(const Failure& f);
// Throws if the JSON does not describe a failure.
Failure failure_from_json(const nlohmann::json& j);

namespace json_parts {

// 64-bit numbers are written as hexadecimal text: JSON readers may round large integers.
nlohmann::json hex(std::uint64_t v);
std::uint64_t number(const nlohmann::json& j);

}  // namespace json_parts
}  // namespace rff
