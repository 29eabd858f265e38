// Which comparisons of a run had equal operands. An input that needs several values at once shows
// no control flow of its own before it has all of them, but a set of agreements that no input has
// shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>

namespace rff {

class Agreements {
 public:
  // What agrees in one of the first runs agrees in most, and says nothing.
  static constexpr std::uint64_t kFirstRuns = 16;
  static constexpr std::size_t kMostSets = 64;

  // `places`: where the run's comparisons agreed, each once. Returns whether there are at least two
  // that no first run had, and no earlier run had the same set of those.
  bool shows_new(std::span<const std::uint64_t> places);

 private:
  std::uint64_t runs_ = 0;
  std::unordered_set<std::uint64_t> usual_;  // places
  std::unordered_set<std::uint64_t> sets_;
};

}  // namespace rff
