// All abstract events seen so far in the campaign, and the pairs of them that a constraint can be
// made of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fuzzer/core/bounded.h"
#include "fuzzer/core/run_summary.h"
#include "schedule/abstract_schedule.h"

namespace rff {

class EventPool {
 public:
  // Beyond its bounds new events and pairs are left out: a draw could hardly reach them anyway.
  explicit EventPool(const Bounds& bounds = {}) : bounds_(bounds) {}

  // A write (or init) and a read of the same location.
  struct Pair {
    std::uint32_t write;  // indexes into events()
    std::uint32_t read;
    std::uint32_t drawn[2] = {0, 0};  // how often, as negative and as positive constraint
    bool observed = false;            // some run had this read read from this write
  };

  // Takes in the events and the reads-from pairs of a run. Returns those pairs that no run had
  // before, as positive constraints.
  std::vector<Constraint> observe(const RunSummary& run);

  // Takes note of scheduling points (packed CodeNames). Accesses elsewhere cannot be held back or
  // let go first, so constraints on them are a last resort. While no point is known every place
  // counts as one.
  void add_points(std::span<const std::uint64_t> sites) {
    points_.insert(sites.begin(), sites.end());
  }
  bool steerable(const AbstractEvent& event) const;

  const std::vector<AbstractEvent>& events() const { return events_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  std::size_t observed_pairs() const { return observed_.size(); }
  // Whether some run had this reads-from pair (pair_id).
  bool seen(std::uint64_t pair) const { return observed_.contains(pair); }

  // A constraint of the wanted polarity; none if no pair is known. Random, but leaning to what was
  // drawn least so far, and then to what asks for news: not to repeat a pair that was seen, to see
  // one that was not.
  std::optional<Constraint> draw(Random& random, bool positive);

 private:
  // Events on one object by the number of bits of their width, then by their first byte: what is
  // narrow need not look far for its neighbours because something else is wide.
  using LocationGroup = std::map<int, std::map<std::int64_t, std::vector<std::uint32_t>>>;

  void add(const AbstractEvent& event);
  void add_pairs_of(std::uint32_t event, std::uint32_t other);
  void add_pair(std::uint32_t write, std::uint32_t read);

  Bounds bounds_;
  std::vector<AbstractEvent> events_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;  // AbstractEvent::id → index
  std::map<std::pair<LocationKind, std::uint64_t>, LocationGroup> groups_;
  std::vector<Pair> pairs_;
  std::unordered_map<std::uint64_t, std::uint32_t> pair_index_;
  std::unordered_set<std::uint64_t> points_;
  std::unordered_set<std::uint64_t> observed_;  // reads-from pairs of all runs, by pair_id
};

}  // namespace rff
