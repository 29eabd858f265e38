// Checks JSON against the part of JSON Schema that report.schema.json uses.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rff {

// Returns the first violation of the schema, with its path; empty if there is none.
inline std::string schema_violation(const nlohmann::json& value, const nlohmann::json& schema,
                                    const nlohmann::json& root, const std::string& path = "$") {
  if (schema.contains("$ref")) {
    std::string pointer = schema["$ref"].get<std::string>().substr(1);
    return schema_violation(value, root.at(nlohmann::json::json_pointer(pointer)), root, path);
  }
  if (schema.contains("const") && value != schema["const"]) {
    return path + " is " + value.dump();
  }
  if (schema.contains("enum") &&
      std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) {
    return path + " is " + value.dump();
  }
  if (schema.contains("type")) {
    const std::string type = schema["type"];
    bool as_wanted = type == "object"    ? value.is_object()
                     : type == "array"   ? value.is_array()
                     : type == "string"  ? value.is_string()
                     : type == "integer" ? value.is_number_integer()
                                         : type == "boolean" && value.is_boolean();
    if (!as_wanted) {
      return path + " is no " + type;
    }
  }
  for (const auto& name : schema.value("required", nlohmann::json::array())) {
    if (!value.contains(name.get<std::string>())) {
      return path + " has no " + name.get<std::string>();
    }
  }
  if (value.is_object() && schema.contains("properties")) {
    for (const auto& [name, member] : value.items()) {
      if (!schema["properties"].contains(name)) {
        if (!schema.value("additionalProperties", true)) {
          return path + " has an unknown " + name;
        }
        continue;
      }
      std::string wrong =
          schema_violation(member, schema["properties"][name], root, path + "." + name);
      if (!wrong.empty()) {
        return wrong;
      }
    }
  }
  if (value.is_array() && schema.contains("items")) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::string wrong =
          schema_violation(value[i], schema["items"], root, path + "[" + std::to_string(i) + "]");
      if (!wrong.empty()) {
        return wrong;
      }
    }
  }
  return "";
}

}  // namespace rff
