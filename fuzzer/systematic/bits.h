// A growing set of small numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rff {

class Bits {
 public:
  bool contains(std::size_t i) const {
    return i / 64 < words_.size() && (words_[i / 64] >> (i % 64) & 1) != 0;
  }
  void insert(std::size_t i) {
    words_.resize(std::max(words_.size(), i / 64 + 1));
    words_[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  void erase(std::size_t i) {
    if (i / 64 < words_.size()) {
      words_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    }
  }
  void insert(const Bits& more) {
    words_.resize(std::max(words_.size(), more.words_.size()));
    for (std::size_t i = 0; i < more.words_.size(); ++i) {
      words_[i] |= more.words_[i];
    }
  }
  bool contains(const Bits& others) const {
    for (std::size_t i = 0; i < others.words_.size(); ++i) {
      if ((others.words_[i] & ~(i < words_.size() ? words_[i] : 0)) != 0) {
        return false;
      }
    }
    return true;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace rff
