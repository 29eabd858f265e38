// Interface through which somebody outside chooses the thread at every scheduling point. See
// schedulers/interactive.cc.
#pragma once

#include <cstdint>

#include "libsched/engine/pending_threads.h"

namespace rff {

class Driver {
 public:
  virtual ~Driver() = default;

  // A scheduling point, before the choice.
  struct Point {
    std::uint64_t number;           // of points passed before it
    const PendingThreads& threads;  // all that have not ended
    const ThreadSet& able;          // those that may be chosen
    std::uint32_t last;             // the thread that ran last; kNoThread: none has
  };
  static constexpr std::uint32_t kSchedulersChoice = ~0u;
  // Returns the index of one of the able threads, or kSchedulersChoice.
  virtual std::uint32_t choose(const Point& point) = 0;
};

}  // namespace rff
