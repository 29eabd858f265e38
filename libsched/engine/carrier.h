// Interface to what threads run on (fibers or kernel threads). Exactly one thread runs at any time.
#pragma once

#include "libsched/engine/thread.h"

namespace rff {

class Carrier {
 public:
  virtual ~Carrier() = default;
  // Stops `from` and resumes `to`. Returns when another thread switches back to `from`.
  virtual void switch_to(Thread& from, Thread& to) = 0;
  // Ends `from` and resumes `to` once the rest of `from` has finished. `to` is null if `from` is
  // the last thread. If this returns, `from` must unwind out of the runtime and not touch it again.
  virtual void end(Thread& from, Thread* to) = 0;
};

}  // namespace rff
