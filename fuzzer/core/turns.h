// Orders with a period: two threads that loop take turns, one round of the one after one round of
// the other.
//
// Some bugs need the same small order again and again: each round of one thread must see what the
// last round of the other left. No single reversal brings a run nearer to that. A recorded run
// shows how long a round is, so the whole order can be written down.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fuzzer/core/recorded_order.h"

namespace rff {

// The part of a sequence that repeats: from `begin` on, with this period, up to `end`.
struct Rounds {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t period = 0;  // 0: nothing repeats
};
// Finds the longest part in which everything comes again after the shortest period.
Rounds find_rounds(std::span<const std::uint64_t> sequence);

class Turns {
 public:
  // Takes the loops of the run's threads.
  void add(const RunSummary& run, const RecordedOrder& recorded);

  // Fills prefix and scheduler of `schedule`. Returns false if no two threads have rounds.
  bool take(Random& random, Schedule& schedule);
  void forget() { runs_.clear(); }

 private:
  static constexpr std::size_t kMaxRuns = 8;
  static constexpr std::size_t kMaxPoints = 4096;  // of one thread, and of a proposal

  struct Looping {
    std::uint16_t thread = 0;
    std::size_t points = 0;
    Rounds rounds;
  };
  struct Run {
    std::vector<Decision> before;  // what came before the first of the looping threads
    std::vector<Looping> threads;
    std::uint64_t taken = 0;  // proposals made of it
  };
  static void write_down(const Run& run, const Looping& a, const Looping& b, std::size_t a_rounds,
                         std::size_t b_rounds, std::size_t shift, Schedule& schedule);

  std::vector<Run> runs_;  // the newest last
};

}  // namespace rff
