// Which events a selective walk chooses among (surw:set=…). The events with one key are a set; a
// schedule names one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedule/event.h"

namespace rff {

struct EventSelection {
  enum class By : std::uint8_t {
    kPlace,   // a set for each location in memory; locks are locations
    kSite,    // a set for each place in code
    kLocks,   // one set: whatever takes a lock
    kListed,  // one set: what the listed places in code do
    kCount
  };

  By by = By::kPlace;
  std::vector<CodeName> sites;  // with kListed; sorted
  bool operator==(const EventSelection&) const = default;
};

// Returns the key of the set that the event belongs to; 0 if there is none.
inline std::uint64_t selection_key(const AbstractEvent& e, const EventSelection& selection) {
  constexpr std::uint64_t kOnlySet = 1;
  switch (selection.by) {
    case EventSelection::By::kSite: return hash_combine(e.site.packed(), kOnlySet);
    case EventSelection::By::kLocks: return acquires(e.op) ? kOnlySet : 0;
    case EventSelection::By::kListed:
      return std::binary_search(selection.sites.begin(), selection.sites.end(), e.site) ? kOnlySet
                                                                                        : 0;
    default: return location_key(e);
  }
}

}  // namespace rff
