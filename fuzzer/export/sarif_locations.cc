#include "fuzzer/export/sarif_locations.h"

#include <algorithm>

#include "fuzzer/export/clean_text.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

constexpr char kRoot[] = "%SRCROOT%";

// Returns the path relative to the root; empty if it is not below it. A relative file name is what
// the compiler was told to write in place of the root.
std::string below(const std::string& file, const fs::path& root) {
  fs::path path = fs::path(file).lexically_normal();
  if (path.is_relative()) {
    return path.string();
  }
  fs::path relative = path.lexically_relative(root);
  bool outside = relative.empty() || *relative.begin() == ".." || relative == ".";
  return outside ? "" : relative.string();
}

bool has_line(const Json& place) {
  return !text_field(place, "file").empty() && number_field(place, "line") > 0;
}

Json logical(const Json& place) {
  std::string function = text_field(place, "function");
  std::string module = text_field(place, "module");
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%llx",
                static_cast<unsigned long long>(number_field(place, "offset")));
  Json j;
  j["fullyQualifiedName"] =
      clean_text(function.empty() ? (module.empty() ? "unknown" : module + offset) : function);
  j["kind"] = function.empty() ? "module" : "function";
  return j;
}

}  // namespace

Json SarifLocations::root_uri() const {
  std::string path = uri_text(settings_.source_root.string());
  return {{kRoot, {{"uri", "file://" + path + (path.ends_with('/') ? "" : "/")}}}};
}

bool SarifLocations::in_root(const Json& place) const {
  return has_line(place) && !below(text_field(place, "file"), settings_.source_root).empty();
}

Json SarifLocations::artifact(const std::string& file, bool counted) {
  std::string relative = below(file, settings_.source_root);
  if (counted) {
    ++(relative.empty() ? remarks_.places_elsewhere : remarks_.places_in_root);
    if (relative.empty()) {
      remarks_.example_elsewhere = file;
    }
  }
  if (relative.empty()) {
    return {{"uri", "file://" + uri_text(file)}};
  }
  return {{"uri", uri_text(relative)}, {"uriBaseId", kRoot}};
}

Json SarifLocations::location(const Json& place, const std::string& message) {
  Json j = Json::object();
  if (has_line(place)) {
    j["physicalLocation"] = {{"artifactLocation", artifact(text_field(place, "file"), true)},
                             {"region", {{"startLine", number_field(place, "line")}}}};
  }
  if (place.is_object()) {
    j["logicalLocations"] = Json::array({logical(place)});
  }
  if (!message.empty()) {
    j["message"] = {{"text", clean_text(message)}};
  }
  return j;
}

// The failing thread comes first, then what other threads wait for.
std::vector<Json> SarifLocations::candidates(const Json& report) const {
  std::vector<Json> places = {field(field(report, "finding"), "place")};
  for (bool failed : {true, false}) {
    for (const Json& thread : list_field(report, "threads")) {
      const Json& flag = field(thread, "failed_here");
      if ((flag.is_boolean() && flag.get<bool>()) == failed) {
        const Json& stack = list_field(thread, "stack");
        places.insert(places.end(), stack.begin(), stack.end());
      }
    }
  }
  return places;
}

Json SarifLocations::finding_location(const Json& report, const std::string& program) {
  std::vector<Json> places = candidates(report);
  auto found =
      std::find_if(places.begin(), places.end(), [&](const Json& p) { return in_root(p); });
  if (found == places.end()) {
    found = std::find_if(places.begin(), places.end(), has_line);
  }
  if (found != places.end()) {
    return location(*found, "");
  }
  // Code-scanning pages show nothing without a file, so the program itself stands for its source.
  Json j = location(places.front().is_object() ? places.front() : Json::object(), "");
  j["physicalLocation"] = {{"artifactLocation", artifact(program, false)},
                           {"region", {{"startLine", 1}}}};
  return j;
}

}  // namespace rff
