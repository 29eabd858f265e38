// Constraints on reads-from, and sets of them: what the fuzzer mutates and the proactive scheduler
// steers towards.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "schedule/event.h"

namespace rff {

// Positive `w → r`: some instance of r reads from an instance of w.
// Negative `w ↛ r`: no instance of r reads from an instance of w. w may be init(x).
struct Constraint {
  AbstractEvent write;
  AbstractEvent read;
  bool positive = true;

  // A write (or init) and a read that touch the same location.
  bool valid() const { return write.writes() && read.reads() && same_location(write, read); }
  Constraint negated() const { return {write, read, !positive}; }
  auto operator<=>(const Constraint&) const = default;
};

// A set of constraints, in the order they were inserted. No duplicates, and never a pair both
// wanted and unwanted: the newer statement about a pair replaces the older.
class AbstractSchedule {
 public:
  static constexpr std::size_t kMaxConstraints = 4096;

  const std::vector<Constraint>& constraints() const { return constraints_; }
  std::size_t size() const { return constraints_.size(); }
  bool empty() const { return constraints_.empty(); }
  bool contains(const Constraint& c) const;

  void reserve(std::size_t size) { constraints_.reserve(size); }
  // Each returns whether the schedule changed.
  bool insert(const Constraint& c);
  bool swap(std::size_t index, const Constraint& replacement);
  bool erase(std::size_t index);
  bool negate(std::size_t index);

  // Equal as sets.
  bool operator==(const AbstractSchedule& other) const;
  std::uint64_t hash() const;  // independent of order

 private:
  std::vector<Constraint> constraints_;
};

}  // namespace rff
