// The kinds of findings as SARIF rules. Code-scanning pages keep them by their id, so an id never
// changes its meaning.
#pragma once

#include <string>

#include "fuzzer/export/json_reading.h"

namespace rff {

// Returns the index of the rule for a kind; one that is unknown here has a rule of its own.
std::size_t rule_index(const std::string& kind);
std::string rule_id(std::size_t index);
Json sarif_rules();

}  // namespace rff
