// How far a search is that explores everything there is, and what may be said of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/search_choice.h"

namespace rff {

struct ExplorationState {
  bool finished = false;  // there is nothing more to propose
  bool cut_by_bound = false;
  bool chosen_points = false;  // at the stop points that the user chose, not all there are
  std::uint64_t explored = 0;  // runs
  std::uint64_t classes = 0;   // runs that were the first of their class
  std::uint64_t redundant = 0;
  std::uint64_t reads_from_classes = 0;  // 0: not counted
  std::uint64_t failing = 0;             // runs that failed
  double part_done = 0;                  // an estimate
  std::uint32_t bound = 0;
  struct Step {
    std::uint32_t bound = 0;
    std::uint64_t classes = 0, failing = 0;
  };
  std::vector<Step> steps;  // the bounds before this one
  std::string reason;       // why it cannot be complete; empty if it can

  // The number of classes there are, if the part is right.
  double estimate() const;
};

// The verdict is only ever `complete` if every class was explored and nothing is known that the
// exploration could have missed.
enum class ExplorationVerdict : std::uint8_t { kComplete, kBoundReached, kStopped, kNotComplete };

ExplorationVerdict verdict_of(const ExplorationState& state);
// "complete", "bound reached", "stopped" or "not complete". The first two hold only for the stop
// points: "complete at the chosen stop points".
std::string verdict_name(const ExplorationState& state);
// The verdict in one line, with the counts.
std::string verdict_text(const ExplorationState& state, const SystematicChoice& choice);
// The same for a bound that has been raised since.
std::string verdict_text(const ExplorationState& state, const ExplorationState::Step& step,
                         const SystematicChoice& choice);

}  // namespace rff
