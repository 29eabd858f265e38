#include "libsched/memory/lock_sets.h"

#include <algorithm>

#include "schedule/hash.h"

namespace rff {

const LockSets::Held* LockSets::find(const Set& set, std::uint64_t lock) {
  for (const Held& h : set) {
    if (h.lock == lock) {
      return &h;
    }
  }
  return nullptr;
}

std::uint32_t LockSets::change(std::uint32_t set, std::uint64_t lock, Change change) {
  std::uint64_t key = hash_combine(lock, (std::uint64_t{set} << 2) | change);
  if (const auto* known = changes_.find(key)) {
    return known->value;
  }
  Set changed = sets_[set];
  std::erase_if(changed, [&](const Held& h) { return h.lock == lock; });
  if (change != kWithout) {
    auto after =
        std::find_if(changed.begin(), changed.end(), [&](const Held& h) { return h.lock > lock; });
    changed.insert(after, {lock, change == kExclusive});
  }
  return changes_.insert(key, number(std::move(changed))).first->value;
}

std::uint32_t LockSets::common(std::uint32_t a, std::uint32_t b) {
  if (a == b || a == kEmpty || b == kEmpty) {
    return a == b ? a : kEmpty;
  }
  std::uint64_t key = (std::uint64_t{a} << 32) | b;
  if (const auto* known = common_.find(key)) {
    return known->value;
  }
  Set both;
  for (const Held& mine : sets_[a]) {
    if (const Held* theirs = find(sets_[b], mine.lock)) {
      both.push_back({mine.lock, mine.exclusively && theirs->exclusively});
    }
  }
  return common_.insert(key, number(std::move(both))).first->value;
}

std::uint32_t LockSets::number(Set set) {
  if (set.empty()) {
    return kEmpty;
  }
  std::uint64_t hash = 0;
  for (const Held& h : set) {
    hash = hash_combine(hash_combine(hash, h.lock), h.exclusively);
  }
  auto [entry, fresh] = numbers_.insert(hash, static_cast<std::uint32_t>(sets_.size()));
  if (fresh) {
    sets_.push_back(std::move(set));
  }
  return entry->value;
}

bool LockSets::within(std::uint32_t a, std::uint32_t b) const {
  if (a == kEmpty || a == b) {
    return true;
  }
  return std::all_of(sets_[a].begin(), sets_[a].end(), [&](const Held& mine) {
    const Held* theirs = find(sets_[b], mine.lock);
    return theirs != nullptr && (theirs->exclusively || !mine.exclusively);
  });
}

bool LockSets::exclude(std::uint32_t a, std::uint32_t b) const {
  if (a == kEmpty || b == kEmpty) {
    return false;
  }
  return std::any_of(sets_[a].begin(), sets_[a].end(), [&](const Held& mine) {
    const Held* theirs = find(sets_[b], mine.lock);
    return theirs != nullptr && (theirs->exclusively || mine.exclusively);
  });
}

}  // namespace rff
