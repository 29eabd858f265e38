// A set of threads: one bit each, by index. For up to 64 threads it is one word.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "libsched/engine/thread.h"

namespace rff {

class ThreadSet {
 public:
  void insert(const Thread& t) { word(t.index / 64) |= bit(t); }
  void erase(const Thread& t) { word(t.index / 64) &= ~bit(t); }

  bool contains(std::uint32_t index) const {
    std::size_t i = index / 64;
    std::uint64_t w = i == 0 ? first_ : i <= rest_.size() ? rest_[i - 1] : 0;
    return ((w >> (index % 64)) & 1) != 0;
  }
  bool empty() const {
    return first_ == 0 &&
           std::all_of(rest_.begin(), rest_.end(), [](std::uint64_t w) { return w == 0; });
  }
  std::size_t size() const {
    auto n = static_cast<std::size_t>(std::popcount(first_));
    for (std::uint64_t w : rest_) {
      n += static_cast<std::size_t>(std::popcount(w));
    }
    return n;
  }
  ThreadSet& operator|=(const ThreadSet& other) {
    first_ |= other.first_;
    for (std::size_t i = 0; i < other.rest_.size(); ++i) {
      word(i + 1) |= other.rest_[i];
    }
    return *this;
  }
  ThreadSet& operator-=(const ThreadSet& other) {
    first_ &= ~other.first_;
    for (std::size_t i = 0; i < other.rest_.size() && i < rest_.size(); ++i) {
      rest_[i] &= ~other.rest_[i];
    }
    return *this;
  }

  // Whether there is more than one.
  bool several() const {
    std::uint64_t seen = 0;
    bool twice = false;
    auto add = [&](std::uint64_t w) {
      twice |= (w & (w - 1)) != 0 || (w != 0 && seen != 0);
      seen |= w;
    };
    add(first_);
    std::for_each(rest_.begin(), rest_.end(), add);
    return twice;
  }

  // Returns the lowest index. Requires: not empty.
  std::uint32_t first() const {
    std::size_t i = 0;
    std::uint64_t w = first_;
    while (w == 0) {
      w = rest_[i++];
    }
    return static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(w));
  }
  // Returns the n-th index, from 0. Requires: there are more than n.
  std::uint32_t at(std::size_t n) const {
    std::uint64_t w = first_;
    std::size_t i = 0;
    for (std::size_t here; (here = static_cast<std::size_t>(std::popcount(w))) <= n; ++i) {
      n -= here;
      w = rest_[i];
    }
    for (; n > 0; --n) {
      w &= w - 1;
    }
    return static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(w));
  }
  // Returns the number of members with a lower index.
  std::size_t below(std::uint32_t index) const {
    std::size_t n = 0;
    for (std::uint32_t i = 0; i <= rest_.size() && i * 64 < index; ++i) {
      std::uint64_t w = i == 0 ? first_ : rest_[i - 1];
      bool part = index - i * 64 < 64;
      n += static_cast<std::size_t>(
          std::popcount(part ? w & ((std::uint64_t{1} << (index % 64)) - 1) : w));
    }
    return n;
  }

  // Calls visit(index) in ascending order.
  template <typename Visit>
  void for_each(Visit visit) const {
    visit_word(first_, 0, visit);
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      visit_word(rest_[i], (i + 1) * 64, visit);
    }
  }

 private:
  template <typename Visit>
  static void visit_word(std::uint64_t w, std::size_t base, Visit& visit) {
    for (; w != 0; w &= w - 1) {
      visit(static_cast<std::uint32_t>(base + static_cast<std::size_t>(std::countr_zero(w))));
    }
  }
  static std::uint64_t bit(const Thread& t) { return std::uint64_t{1} << (t.index % 64); }
  std::uint64_t& word(std::size_t i) {
    if (i == 0) {
      return first_;
    }
    if (i > rest_.size()) {
      rest_.resize(i);
    }
    return rest_[i - 1];
  }

  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> rest_;
};

}  // namespace rff
