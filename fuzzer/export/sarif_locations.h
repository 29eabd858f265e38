// Places of a report as SARIF locations: in the user's source where there is one, else by the name
// of the function.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/export/exports.h"

namespace rff {

class SarifLocations {
 public:
  SarifLocations(const ExportSettings& settings, ExportRemarks& remarks)
      : settings_(settings), remarks_(remarks) {}

  // Returns a location object; `message` may be empty.
  Json location(const Json& place, const std::string& message);
  // Returns the location of the finding: its place, or the nearest caller that has a line in the
  // source root, or one in any source, or the function.
  Json finding_location(const Json& report, const std::string& program);
  Json root_uri() const;

 private:
  bool in_root(const Json& place) const;
  Json artifact(const std::string& file, bool counted);
  std::vector<Json> candidates(const Json& report) const;

  const ExportSettings& settings_;
  ExportRemarks& remarks_;
};

}  // namespace rff
