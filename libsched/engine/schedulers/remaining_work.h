// How much the threads of a run have left to do, by estimates from earlier runs, and draws of a
// thread in proportion to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libsched/engine/thread_set.h"
#include "schedule/hash.h"
#include "schedule/schedule_file.h"

namespace rff {

class RemainingWork {
 public:
  // `least`: what a thread counts as long as it has not ended; 0 or 1.
  RemainingWork(const Estimates& estimates, std::uint64_t least)
      : estimates_(estimates.threads), least_(least) {}

  // A thread counts for the threads that it will create. When one of them begins, its part moves
  // over from its creator. Returns that part.
  std::uint64_t begin(const Thread& t) {
    std::uint64_t own = estimate(t);
    if (t.parent != nullptr) {
      std::uint64_t left_there = left(t.parent->index);
      set(t.parent->index, std::max(least_, left_there - std::min(own, left_there)));
    }
    set(t.index, std::max(least_, own));
    return own;
  }
  void done(const Thread& t) {
    if (left(t.index) > least_) {
      set(t.index, left(t.index) - 1);
    }
  }
  void ended(const Thread& t) { set(t.index, 0); }

  std::uint64_t left(std::uint32_t index) const { return index < left_.size() ? left_[index] : 0; }

  static constexpr std::uint32_t kNobody = ~0u;
  // Draws a thread in proportion to what it has left. Returns kNobody if no thread has anything.
  std::uint32_t draw(Random& random) const {
    return total() > 0 ? find(random.below(total())) : kNobody;
  }
  // Draws one of the threads of the set, which is not empty. If none has anything left, each is
  // equally likely.
  std::uint32_t draw_among(const ThreadSet& able, Random& random) const {
    // Mostly, threads that have something left can run: a few draws among all then suffice.
    for (int i = 0; i < kDraws && total() > 0; ++i) {
      std::uint32_t drawn = draw(random);
      if (able.contains(drawn)) {
        return drawn;
      }
    }
    std::uint64_t sum = 0;
    able.for_each([&](std::uint32_t index) { sum += left(index); });
    if (sum == 0) {
      return able.at(random.below(able.size()));
    }
    std::uint64_t at = random.below(sum);
    std::uint32_t found = kNobody;
    able.for_each([&](std::uint32_t index) {
      if (found == kNobody && at < left(index)) {
        found = index;
      }
      at -= std::min(at, left(index));
    });
    return found;
  }

 private:
  static constexpr int kDraws = 4;

  std::uint64_t estimate(const Thread& t) const {
    std::uint64_t name = hash_bytes(t.name);
    auto it = std::lower_bound(
        estimates_.begin(), estimates_.end(), name,
        [](const ThreadEstimate& e, std::uint64_t value) { return e.thread < value; });
    return it != estimates_.end() && it->thread == name ? it->points : 0;
  }

  // Sums of what is left, as a binary indexed tree: sums_[i] is that of the 2^k threads up to and
  // with i - 1, where 2^k is the lowest bit of i.
  std::uint64_t total() const { return sums_.empty() ? 0 : sums_.back(); }
  void set(std::uint32_t index, std::uint64_t value) {
    if (index >= left_.size()) {
      grow(index);
    }
    std::uint64_t change = value - left_[index];
    left_[index] = value;
    for (std::size_t i = index + 1; i < sums_.size(); i += i & -i) {
      sums_[i] += change;
    }
  }
  // The size is a power of two, so the last sum is that of all.
  void grow(std::uint32_t index) {
    std::size_t size = std::max<std::size_t>(left_.size(), 8);
    while (size <= index) {
      size *= 2;
    }
    std::vector<std::uint64_t> before = std::move(left_);
    left_.assign(size, 0);
    sums_.assign(size + 1, 0);
    for (std::uint32_t i = 0; i < before.size(); ++i) {
      set(i, before[i]);
    }
  }
  // Returns the thread at whose part the sum of all before it exceeds `at`.
  std::uint32_t find(std::uint64_t at) const {
    std::size_t place = 0;
    for (std::size_t step = left_.size(); step > 0; step /= 2) {
      if (place + step < sums_.size() && sums_[place + step] <= at) {
        place += step;
        at -= sums_[place];
      }
    }
    return static_cast<std::uint32_t>(place);
  }

  const std::vector<ThreadEstimate>& estimates_;  // sorted
  std::uint64_t least_;
  std::vector<std::uint64_t> left_;               // by Thread::index
  std::vector<std::uint64_t> sums_;
};

}  // namespace rff
