// Orders with a period: two threads that loop take turns, one round of the one after one round of
// the other.
//
// Some bugs need the same small order again and again: each round of one thread must see what the
// last round of the other left. No single reversal brings a run nearer to that. A recorded run
// shows how long a round is, so the whole order can be written down.
//
// Two loops that feed each other, each reading in every round what the other one writes to some
// other place, are the ones for which turns matter most: they come first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "fuzzer/core/bounded.h"
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
// Finds up to `most` such parts, the longest ones first; they do not overlap.
std::vector<Rounds> find_all_rounds(std::span<const std::uint64_t> sequence, std::size_t most);

class Turns {
 public:
  explicit Turns(const Bounds& bounds = {}) : bounds_(bounds) {}

  // Takes the loops of the run's threads.
  void add(const RunSummary& run, const RecordedOrder& recorded);

  // Fills prefix and scheduler of `schedule`. Returns false if no two threads have rounds; with
  // `feeding`, if no two loops are left that feed each other and have not taken turns.
  bool take(Random& random, bool feeding, Schedule& schedule);
  void forget() { runs_.clear(); }

 private:
  static constexpr std::size_t kMaxRuns = 8;
  static constexpr std::size_t kMaxPoints = 4096;  // of one thread, and of a proposal
  static constexpr std::size_t kMaxLoops = 3;      // of one thread
  static constexpr std::size_t kMaxFeeding = 16;   // of one run

  // The points of a thread: the places in code, what is done there, and the events, by index.
  struct Points {
    std::vector<std::uint64_t> sites;
    std::vector<std::uint64_t> actions;
    std::vector<std::uint32_t> events;
  };
  struct Looping {
    std::uint16_t thread = 0;
    std::size_t points = 0;
    Rounds rounds;
  };
  // Two loops of different threads, the one that begins first.
  struct Couple {
    Looping first, other;
  };
  struct Run {
    std::vector<Decision> before;  // what came before the first of the looping threads
    std::vector<Looping> threads;  // the longest loop of each
    std::vector<Couple> feeding;
    std::uint64_t taken = 0;  // proposals made of it
  };
  class Feeders;

  // By thread.
  static std::vector<Points> points_of(const RunSummary& run, const RecordedOrder& recorded);
  // Returns the couples that feed each other and were not returned before.
  std::vector<Couple> couples_of(const std::vector<Feeders>& loops);
  bool take_feeding(Schedule& schedule);
  static void write_down(const Run& run, const Couple& couple, std::size_t first_rounds,
                         std::size_t other_rounds, std::size_t shift, Schedule& schedule);

  Bounds bounds_;
  std::vector<Run> runs_;                  // the newest last
  std::unordered_set<std::uint64_t> fed_;  // couples of code that have taken turns
};

}  // namespace rff
