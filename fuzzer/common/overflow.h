// Reports which lists of the shared memory were too small for what a run recorded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/shared_memory.h"

namespace rff {

// One bit for each list, so that a campaign can combine the losses of its runs.
enum OverflowedList : std::uint32_t {
  kEventsOverflowed = 1,
  kPairsOverflowed = 2,
  kStepsOverflowed = 4,
  kDecisionsOverflowed = 8,
  kPointsOverflowed = 16,
  kModulesOverflowed = 32,
  kCallsOverflowed = 64,
};

// Returns the lists that lost entries: lists of a run in the last run, the others in any run so
// far.
std::uint32_t overflowed_lists(const SharedMemory& shared);

// Returns short names for other programs: "events", "decisions", ...
std::vector<std::string> overflow_names(std::uint32_t lists);
std::uint32_t overflows_from_names(const std::vector<std::string>& names);

// Returns one text for each list: "more decisions than the record holds (4194304): ...".
std::vector<std::string> overflow_texts(std::uint32_t lists);

}  // namespace rff
