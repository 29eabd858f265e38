// Finds, for steps in their order, those before one that may conflict with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "fuzzer/systematic/explored_run.h"

namespace rff {

class NearSteps {
 public:
  // Requires: it has been called for all steps before.
  std::vector<std::size_t> before(const std::vector<ExploredStep>& steps, std::size_t j) {
    std::vector<std::size_t> found = always_;
    bool always = ordered_by_system(steps[j], steps[j]);
    auto add = [&](std::uint64_t begin, std::uint64_t end) {
      always |= end - begin > kMostWords * 8;
      for (std::uint64_t word = begin / 8; word <= (end - 1) / 8 && !always; ++word) {
        std::vector<std::size_t>& here = touched_[word];
        found.insert(found.end(), here.begin(), here.end());
        here.push_back(j);
      }
    };
    for (const Touch& t : steps[j].touches) {
      add(t.begin, t.end);
    }
    for (const AwaitedChange& a : steps[j].awaited) {
      add(a.begin, a.end);
    }
    if (always) {
      always_.push_back(j);
      found.resize(j);
      std::iota(found.begin(), found.end(), std::size_t{0});
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::erase(found, j);
    return found;
  }

 private:
  static constexpr std::uint64_t kMostWords = 64;  // a longer range is compared with everything
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> touched_;
  std::vector<std::size_t> always_;
};

}  // namespace rff
