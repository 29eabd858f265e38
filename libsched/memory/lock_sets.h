// Numbers for sets of locks, so that a set fits into one word and equal sets are found at once.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/flat_map.h"

namespace rff {

class LockSets {
 public:
  static constexpr std::uint32_t kEmpty = 0;

  // The set with one more lock, and the set without it.
  std::uint32_t with(std::uint32_t set, std::uint64_t lock, bool exclusively) {
    return change(set, lock, exclusively ? kExclusive : kShared);
  }
  std::uint32_t without(std::uint32_t set, std::uint64_t lock) {
    return change(set, lock, kWithout);
  }

  // The locks that are in both sets; exclusively held if they are so in both.
  std::uint32_t common(std::uint32_t a, std::uint32_t b);

  // Returns whether who holds `b` holds all of `a`.
  bool within(std::uint32_t a, std::uint32_t b) const;
  // Returns whether the two cannot be held at once: they have a lock in common that one of them
  // holds exclusively.
  bool exclude(std::uint32_t a, std::uint32_t b) const;

 private:
  struct Held {
    std::uint64_t lock;
    bool exclusively;
  };
  using Set = std::vector<Held>;  // sorted

  enum Change : std::uint32_t { kWithout, kShared, kExclusive };
  std::uint32_t change(std::uint32_t set, std::uint64_t lock, Change change);
  static const Held* find(const Set& set, std::uint64_t lock);
  std::uint32_t number(Set set);

  std::vector<Set> sets_{Set()};
  FlatMap<std::uint32_t> numbers_;  // by hash of the set
  FlatMap<std::uint32_t> changes_;  // results of `with` and `without`
  FlatMap<std::uint32_t> common_;   // results of `common`
};

}  // namespace rff
