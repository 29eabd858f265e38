// Interface through which somebody outside chooses the thread at every scheduling point. See
// schedulers/interactive.cc.
#pragma once

#include <cstdint>

#include "libsched/engine/pending_threads.h"
#include "libsched/support/capture.h"

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
  // The current thread has stopped with its pending operation; its stack can be looked at.
  virtual void stopped(const Thread&, const StopContext&) {}
  static constexpr std::uint32_t kSchedulersChoice = ~0u;
  // Returns the index of one of the able threads, or kSchedulersChoice.
  virtual std::uint32_t choose(const Point& point) = 0;
};

}  // namespace rff
