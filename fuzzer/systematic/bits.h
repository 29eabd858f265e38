// A growing set of small numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rff {

// Numbers up to 128, which most runs do not exceed, take no memory of their own.
class Bits {
 public:
  bool contains(std::size_t i) const { return (word(i / 64) >> (i % 64) & 1) != 0; }
  void insert(std::size_t i) {
    if (i / 64 >= kFew) {
      more_.resize(std::max(more_.size(), i / 64 - kFew + 1));
    }
    at(i / 64) |= std::uint64_t{1} << (i % 64);
  }
  void erase(std::size_t i) {
    if (i / 64 < kFew + more_.size()) {
      at(i / 64) &= ~(std::uint64_t{1} << (i % 64));
    }
  }
  void insert(const Bits& other) {
    more_.resize(std::max(more_.size(), other.more_.size()));
    for (std::size_t i = 0; i < kFew + other.more_.size(); ++i) {
      at(i) |= other.word(i);
    }
  }
  bool contains(const Bits& others) const {
    for (std::size_t i = 0; i < kFew + others.more_.size(); ++i) {
      if ((others.word(i) & ~word(i)) != 0) {
        return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::size_t kFew = 2;

  std::uint64_t& at(std::size_t i) { return i < kFew ? few_[i] : more_[i - kFew]; }
  std::uint64_t word(std::size_t i) const {
    return i < kFew ? few_[i] : i - kFew < more_.size() ? more_[i - kFew] : 0;
  }

  std::array<std::uint64_t, kFew> few_ = {};
  std::vector<std::uint64_t> more_;
};

}  // namespace rff
