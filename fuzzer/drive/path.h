// A recorded run, as decisions, and how far the present run has followed it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "schedule/shared_memory.h"

namespace rff {

class Path {
 public:
  Path() = default;
  explicit Path(std::vector<Decision> decisions) : decisions_(std::move(decisions)) {}

  // Call when a new run begins.
  void restart() {
    at_ = 0;
    left_ = false;
  }
  // Call when the run has made decisions.
  void update(const RunRecord& run) {
    auto made = run.decisions.begin();
    std::size_t count = run.decisions.size();
    for (; at_ < count && !left_; ++at_) {
      left_ = at_ >= decisions_.size() || made[static_cast<std::ptrdiff_t>(at_)] != decisions_[at_];
    }
  }
  // Whether all decisions so far are those of the path.
  bool followed() const { return !left_; }
  // The next decision of the path; null if the run has left it or the path has ended.
  const Decision* next() const {
    return left_ || at_ >= decisions_.size() ? nullptr : &decisions_[at_];
  }

 private:
  std::vector<Decision> decisions_;
  std::size_t at_ = 0;
  bool left_ = false;
};

}  // namespace rff
