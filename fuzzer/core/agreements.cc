#include "fuzzer/core/agreements.h"

#include "schedule/hash.h"

namespace rff {

bool Agreements::shows_new(std::span<const std::uint64_t> places) {
  if (runs_++ < kFirstRuns) {
    usual_.insert(places.begin(), places.end());
    return false;
  }
  std::size_t count = 0;
  std::uint64_t set = 0;
  for (std::uint64_t place : places) {
    if (!usual_.contains(place)) {
      ++count;
      set += mix64(place);  // in any order
    }
  }
  return count >= 2 && sets_.size() < kMostSets && sets_.insert(set).second;
}

}  // namespace rff
