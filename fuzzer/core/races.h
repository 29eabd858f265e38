// Steps of one run that might as well have come in the other order.
//
// Vector clocks over program order, creation and joining of threads, and conflicting accesses
// (locks, semaphores and the like included) tell which steps are ordered. Two conflicting steps of
// different threads with nothing between them that orders them are a race, whether or not the
// program means them to be.
#pragma once

#include <cstdint>
#include <vector>

#include "fuzzer/core/run_summary.h"

namespace rff {

struct Race {
  std::uint32_t first;   // indexes into RunSummary::steps
  std::uint32_t second;  //
  bool lock = false;     // both take the same lock (or semaphore, …), one after the other
  bool far = false;      // something lies between them that would have to move as well
  bool idle = false;     // lock: what they guard has nothing in common
  // A reads-from pair that the other order would lead to (pair_id); 0: unknown.
  std::uint64_t predicted = 0;
};

// At most kMaxRaces, in the order of their second step.
inline constexpr std::size_t kMaxRaces = 4096;
std::vector<Race> find_races(const RunSummary& run);

}  // namespace rff
