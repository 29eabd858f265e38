// Constraints on reads-from, and sets of them (abstract schedules). The fuzzer mutates these sets;
// the proactive scheduler steers a run towards them.
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

  // Requires a write (or init) and a read that touch the same location.
  bool valid() const { return write.writes() && read.reads() && same_location(write, read); }
  Constraint negated() const { return {write, read, !positive}; }
  auto operator<=>(const Constraint&) const = default;
};

// A set of constraints in insertion order. It holds at most one constraint on a pair of events:
// inserting the opposite constraint replaces the older one.
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

  // Compares as sets: the order does not matter.
  bool operator==(const AbstractSchedule& other) const;
  std::uint64_t hash() const;  // does not depend on the order

 private:
  std::vector<Constraint> constraints_;
};

}  // namespace rff
