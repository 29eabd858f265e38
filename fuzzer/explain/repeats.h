// Finds repeated blocks in a list, as recursion and loops leave them, so that reports print them
// once.
#pragma once

#include <cstddef>
#include <vector>

namespace rff {

struct Repeat {
  std::size_t begin = 0;
  std::size_t length = 0;  // length of the block at `begin`
  std::size_t times = 0;   // number of repetitions right after it
  std::size_t end() const { return begin + length * (times + 1); }
};

// Finds blocks of at most eight elements that repeat at least three times. equal(i, j) compares two
// elements.
template <typename Equal>
std::vector<Repeat> find_repeats(std::size_t size, Equal equal) {
  constexpr std::size_t kLongest = 8;
  constexpr std::size_t kLeastTimes = 3;
  std::vector<Repeat> found;
  for (std::size_t i = 0; i < size;) {
    Repeat best;
    for (std::size_t length = 1; length <= kLongest && best.times == 0; ++length) {
      std::size_t same = 0;
      while (i + same + length < size && equal(i + same, i + same + length)) {
        ++same;
      }
      if (same / length >= kLeastTimes) {
        best = {i, length, same / length};
      }
    }
    if (best.times > 0) {
      found.push_back(best);
      i = best.end();
    } else {
      ++i;
    }
  }
  return found;
}

}  // namespace rff
