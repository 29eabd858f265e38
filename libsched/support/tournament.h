// The smallest of many numbers that change one at a time.
#pragma once

#include <cstdint>
#include <vector>

namespace rff {

class Tournament {
 public:
  static constexpr std::uint64_t kAbsent = ~std::uint64_t{0};

  std::uint64_t operator[](std::size_t i) const { return i < size_ ? numbers_[i] : kAbsent; }

  void set(std::size_t i, std::uint64_t number) {
    while (i >= size_) {
      grow();
    }
    numbers_[i] = number;
    for (std::size_t match = (size_ + i) / 2; match > 0; match /= 2) {
      winners_[match] = winner(match);
    }
  }

  // Which is the smallest; any if all are absent. Requires: some number was set.
  std::size_t best() const { return winners_[1]; }

 private:
  static constexpr std::size_t kFirstSize = 8;

  // Of the two below: matches that come before, or, at the bottom, numbers.
  std::uint32_t winner(std::size_t match) const {
    std::size_t below = 2 * match;
    auto left = static_cast<std::uint32_t>(below < size_ ? winners_[below] : below - size_);
    auto right = static_cast<std::uint32_t>(below < size_ ? winners_[below + 1] : below + 1 - size_);
    return numbers_[right] < numbers_[left] ? right : left;
  }

  void grow() {
    size_ = size_ == 0 ? kFirstSize : 2 * size_;
    numbers_.resize(size_, kAbsent);
    winners_.resize(size_);
    for (std::size_t match = size_ - 1; match > 0; --match) {
      winners_[match] = winner(match);
    }
  }

  std::size_t size_ = 0;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::uint32_t> winners_;  // from 1: the last match; that of 2i and 2i + 1
};

}  // namespace rff
