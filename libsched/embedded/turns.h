// Where the turns of a run's threads ended and began, for fuzzing engines, which keep inputs that
// bring something new. A thread's place in code alone would say nothing of a loop: each counts with
// how often the thread has been there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schedule/shared_memory.h"

namespace rff::embedded {

class Turns {
 public:
  // Finds those of a run: for each switch, the events of both threads. They depend on code, data
  // and the order of steps, not on addresses. Of a long run only the first ones are known.
  void find(const RunRecord& run);
  // Places in a map of 65,536.
  const std::uint16_t* places() const { return places_; }
  std::size_t count() const { return count_; }

 private:
  static constexpr std::size_t kMost = 1 << 12;
  static constexpr std::size_t kCounters = 1 << 10;

  std::uint16_t times_[kCounters];
  std::uint16_t places_[kMost];
  std::size_t count_ = 0;
};

}  // namespace rff::embedded
