// States that runs have come through, and how to come there again.
//
// A state is told by where the threads stand and by the contents of the memory that decides where
// they go. From a state seen for the first time a search goes on as from a new program start; bugs
// at the end of a long chain of right moves are reached move by move.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fuzzer/core/focus.h"
#include "fuzzer/core/recorded_order.h"
#include "schedule/flat_map.h"

namespace rff {

class Archive {
 public:
  explicit Archive(const Bounds& bounds = {}) : bounds_(bounds) {}

  // `focus`: null if all memory that threads share matters.
  void add(const RunSummary& run, const RecordedOrder& recorded, const Focus* focus);

  // Makes `schedule` come to one of the states, rather a new one, and go on at random from there.
  bool take(Random& random, Schedule& schedule) const;

  std::size_t size() const { return cells_.size(); }

 private:
  struct Cell {
    std::shared_ptr<const std::vector<Decision>> order;
    std::uint32_t length;  // how much of it leads there
  };
  Bounds bounds_;
  std::vector<Cell> cells_;  // oldest first
  FlatSet keys_;
  std::size_t entries_ = 0;
};

}  // namespace rff
