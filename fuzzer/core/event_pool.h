// All abstract events that the campaign has seen, and the pairs of them that can form a constraint.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fuzzer/common/run_summary.h"
#include "fuzzer/core/bounded.h"
#include "schedule/abstract_schedule.h"

namespace rff {

class EventPool {
 public:
  // A full pool ignores new events and pairs: a draw would hardly ever reach them.
  explicit EventPool(const Bounds& bounds = {}) : bounds_(bounds) {}

  // A write (or init) and a read of the same location.
  struct Pair {
    std::uint32_t write;  // indexes into events()
    std::uint32_t read;
    std::uint32_t drawn[2] = {0, 0};  // number of draws as negative and as positive constraint
    bool observed = false;            // in some run the read read from the write
  };

  // Adds the events and the reads-from pairs of a run. Returns the pairs that are new, as positive
  // constraints.
  std::vector<Constraint> observe(const RunSummary& run);

  // Adds scheduling points (packed PointNames). Accesses elsewhere cannot be delayed or preferred,
  // so constraints on them are a last resort. Before the first call, every place counts as one.
  void add_points(std::span<const std::uint64_t> points) {
    points_known_ = true;
    for (std::uint64_t point : points) {
      points_.insert(PointName::unpack(point).site.packed());
    }
  }
  bool steerable(const AbstractEvent& event) const;

  const std::vector<AbstractEvent>& events() const { return events_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  std::size_t observed_pairs() const { return observed_.size(); }
  // Whether some run had this reads-from pair (pair_id).
  bool seen(std::uint64_t pair) const { return observed_.contains(pair); }

  // Draws a constraint of the given polarity; none if no pair is known. The choice is random, but
  // prefers pairs that were drawn least, then constraints that ask for something new: negative ones
  // on observed pairs, positive ones on pairs not observed yet.
  std::optional<Constraint> draw(Random& random, bool positive);

 private:
  // Events on one object by the number of bits of their width, then by their first byte. A narrow
  // event then searches a short range for overlaps even if another event is wide.
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
  bool points_known_ = false;
  std::unordered_set<std::uint64_t> observed_;  // reads-from pairs of all runs, by pair_id
};

}  // namespace rff
