// The interleaving of a finding as SARIF code flows: one thread flow for each thread, and the whole
// story in one for viewers that do not put threads in order.
#pragma once

#include "fuzzer/export/sarif_locations.h"

namespace rff {

// A code-scanning page shows so many of a result; it refuses ten times as many.
inline constexpr std::size_t kMostFlowLocations = 1000;

struct SarifFlows {
  Json code_flows = Json::array();  // empty if there is no story
  std::size_t locations = 0;
  std::size_t left_out = 0;  // events at the beginning of the story
};

SarifFlows sarif_flows(const Json& report, SarifLocations& locations);

struct SarifStacks {
  Json stacks = Json::array();  // one for each thread
  std::size_t locations = 0;
};

SarifStacks sarif_stacks(const Json& report, SarifLocations& locations);

}  // namespace rff
