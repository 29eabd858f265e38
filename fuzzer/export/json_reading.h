// Reads fields of JSON that another program, machine or version wrote: a field that is missing or
// of another type reads as empty.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace rff {

using Json = nlohmann::ordered_json;

inline const Json& field(const Json& object, const char* name) {
  static const Json kNothing;
  if (!object.is_object()) {
    return kNothing;
  }
  auto it = object.find(name);
  return it == object.end() ? kNothing : *it;
}

inline std::string text_field(const Json& object, const char* name) {
  const Json& value = field(object, name);
  return value.is_string() ? value.get<std::string>() : "";
}

inline std::uint64_t number_field(const Json& object, const char* name) {
  const Json& value = field(object, name);
  return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

inline double seconds_field(const Json& object, const char* name) {
  const Json& value = field(object, name);
  return value.is_number() ? value.get<double>() : 0;
}

inline const Json& list_field(const Json& object, const char* name) {
  static const Json kEmpty = Json::array();
  const Json& value = field(object, name);
  return value.is_array() ? value : kEmpty;
}

}  // namespace rff
