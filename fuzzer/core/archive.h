// An archive of program states that runs have passed, with the order that leads back to each.
//
// A state is identified by the positions of the threads and the contents of the memory that decides
// where they go. The search continues from a new state as from a new program start, so it reaches
// bugs behind a long chain of necessary steps one step at a time.
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
  // Says what makes a state new: memory and positions as a whole, or a value that no run has shown at
  // its location. The second kind is soon complete, and climbs where one value needs the last one.
  enum class Novelty : std::uint8_t { kState, kValue };
  explicit Archive(const Bounds& bounds = {}, Novelty novelty = Novelty::kState)
      : bounds_(bounds), novelty_(novelty) {}

  // Without `focus` (null), all memory that threads share identifies a state.
  void add(const RunSummary& run, const RecordedOrder& recorded, const Focus* focus);

  // Lets `schedule` lead to one of the states, preferably a new one, and continue at random.
  // Returns false if there is no state.
  bool take(Random& random, Schedule& schedule) const;

  std::size_t size() const { return cells_.size(); }

 private:
  struct Cell {
    std::shared_ptr<const std::vector<Decision>> order;
    std::uint32_t length;  // number of entries that lead to the state
  };
  void add_states(const RunSummary& run, const RecordedOrder& recorded,
                  const std::vector<bool>& decides);
  void add_values(const RunSummary& run, const RecordedOrder& recorded,
                  const std::vector<bool>& decides);

  Bounds bounds_;
  Novelty novelty_;
  std::vector<Cell> cells_;  // oldest first
  FlatSet keys_;
  std::size_t entries_ = 0;
};

}  // namespace rff
