// Finds the smallest of many numbers that change one at a time. Scans them if there are few.
#pragma once

#include <cstdint>
#include <vector>

namespace rff {

class Tournament {
 public:
  static constexpr std::uint64_t kAbsent = ~std::uint64_t{0};

  std::uint64_t operator[](std::size_t i) const {
    return i < numbers_.size() ? numbers_[i] : kAbsent;
  }

  void set(std::size_t i, std::uint64_t number) {
    while (i >= numbers_.size()) {
      grow();
    }
    numbers_[i] = number;
    if (groups_ > 1) {
      std::size_t match = groups_ + i / kGroup;
      winners_[match] = first_in(i / kGroup);
      while ((match /= 2) > 0) {
        winners_[match] = winner(match);
      }
    }
  }

  // Returns the index of the smallest; any if all are absent. Requires: some number was set.
  std::size_t best() const { return groups_ > 1 ? winners_[1] : first_in(0); }

 private:
  static constexpr std::size_t kGroup = 8;

  std::uint32_t first_in(std::size_t group) const {
    const std::uint64_t* numbers = &numbers_[group * kGroup];
    std::size_t best = 0;
    std::uint64_t smallest = numbers[0];
    for (std::size_t i = 1; i < kGroup; ++i) {
      bool smaller = numbers[i] < smallest;
      best = smaller ? i : best;
      smallest = smaller ? numbers[i] : smallest;
    }
    return static_cast<std::uint32_t>(group * kGroup + best);
  }
  std::uint32_t winner(std::size_t match) const {
    std::uint32_t left = winners_[2 * match];
    std::uint32_t right = winners_[2 * match + 1];
    return numbers_[right] < numbers_[left] ? right : left;
  }

  void grow() {
    groups_ = groups_ == 0 ? 1 : 2 * groups_;
    numbers_.resize(groups_ * kGroup, kAbsent);
    if (groups_ > 1) {
      winners_.resize(2 * groups_);
      for (std::size_t group = 0; group < groups_; ++group) {
        winners_[groups_ + group] = first_in(group);
      }
      for (std::size_t match = groups_ - 1; match > 0; --match) {
        winners_[match] = winner(match);
      }
    }
  }

  std::size_t groups_ = 0;  // a power of two
  std::vector<std::uint64_t> numbers_;
  std::vector<std::uint32_t>
      winners_;  // second half: winners of the groups; before: of 2i and 2i + 1
};

}  // namespace rff
