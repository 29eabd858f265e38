#include "schedule/abstract_schedule.h"

#include <algorithm>

namespace rff {
namespace {

bool same_pair(const Constraint& a, const Constraint& b) {
  return a.write == b.write && a.read == b.read;
}

}  // namespace

bool AbstractSchedule::contains(const Constraint& c) const {
  return std::find(constraints_.begin(), constraints_.end(), c) != constraints_.end();
}

bool AbstractSchedule::insert(const Constraint& c) {
  if (!c.valid()) {
    return false;
  }
  for (Constraint& existing : constraints_) {
    if (same_pair(existing, c)) {
      bool changed = existing.positive != c.positive;
      existing.positive = c.positive;
      return changed;
    }
  }
  if (constraints_.size() >= kMaxConstraints) {
    return false;
  }
  constraints_.push_back(c);
  return true;
}

bool AbstractSchedule::swap(std::size_t index, const Constraint& replacement) {
  if (index >= constraints_.size() || !replacement.valid() || contains(replacement)) {
    return false;
  }
  constraints_.erase(constraints_.begin() + static_cast<std::ptrdiff_t>(index));
  insert(replacement);
  return true;
}

bool AbstractSchedule::erase(std::size_t index) {
  if (index >= constraints_.size()) {
    return false;
  }
  constraints_.erase(constraints_.begin() + static_cast<std::ptrdiff_t>(index));
  return true;
}

bool AbstractSchedule::negate(std::size_t index) {
  if (index >= constraints_.size()) {
    return false;
  }
  constraints_[index].positive = !constraints_[index].positive;
  return true;
}

bool AbstractSchedule::operator==(const AbstractSchedule& other) const {
  return size() == other.size() &&
         std::all_of(constraints_.begin(), constraints_.end(),
                     [&](const Constraint& c) { return other.contains(c); });
}

std::uint64_t AbstractSchedule::hash() const {
  std::uint64_t sum = 0;
  for (const Constraint& c : constraints_) {
    sum += hash_combine(hash_combine(c.write.id(), c.read.id()), c.positive ? 1 : 2);
  }
  return mix64(sum);
}

}  // namespace rff
