// Finds pairs of steps of one run that could have come in the other order.
//
// Steps are ordered by vector clocks over program order, creation and joining of threads, and
// conflicting accesses (including synchronization objects). Two conflicting steps of different
// threads with nothing between them that orders them are a race here, even if they are correctly
// synchronized.
#pragma once

#include <cstdint>
#include <vector>

#include "fuzzer/common/run_summary.h"

namespace rff {

struct Race {
  std::uint32_t first;   // indexes into RunSummary::steps
  std::uint32_t second;  //
  bool lock = false;     // both take the same lock (or semaphore, …), one after the other
  bool far = false;      // steps between them would have to move as well
  // lock: the sections have no conflicting accesses, no wait and signal, no locks within
  bool idle = false;
  // A reads-from pair that the other order would produce (pair_id); 0: unknown.
  std::uint64_t predicted = 0;
};

// Returns at most kMaxRaces, in the order of their second step.
inline constexpr std::size_t kMaxRaces = 4096;
std::vector<Race> find_races(const RunSummary& run);

}  // namespace rff
