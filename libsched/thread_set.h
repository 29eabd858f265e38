// A set of threads: one bit each, by index. For up to 64 threads it is one word.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "libsched/thread.h"

namespace rff {

class ThreadSet {
 public:
  void insert(const Thread& t) { word(t.index / 64) |= bit(t); }
  void erase(const Thread& t) { word(t.index / 64) &= ~bit(t); }

  bool empty() const {
    return first_ == 0 &&
           std::all_of(rest_.begin(), rest_.end(), [](std::uint64_t w) { return w == 0; });
  }
  bool operator==(const ThreadSet& other) const {
    return first_ == other.first_ &&
           ((rest_.empty() && other.rest_.empty()) || rest_ == other.rest_);
  }
  ThreadSet& operator|=(const ThreadSet& other) {
    first_ |= other.first_;
    for (std::size_t i = 0; i < other.rest_.size(); ++i) {
      word(i + 1) |= other.rest_[i];
    }
    return *this;
  }

  // The lowest index. Requires: not empty.
  std::uint32_t first() const {
    if (first_ != 0) {
      return static_cast<std::uint32_t>(std::countr_zero(first_));
    }
    std::size_t i = 0;
    while (rest_[i] == 0) {
      ++i;
    }
    return static_cast<std::uint32_t>((i + 1) * 64) +
           static_cast<std::uint32_t>(std::countr_zero(rest_[i]));
  }

  // Calls visit(index) in order.
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
