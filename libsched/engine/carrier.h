// What a thread runs on, as far as the engine needs it. Exactly one thread runs at any time.
#pragma once

#include "libsched/engine/thread.h"

namespace rff {

class Carrier {
 public:
  virtual ~Carrier() = default;
  // `from` stops and `to` goes on. Returns when another thread switches back to `from`.
  virtual void switch_to(Thread& from, Thread& to) = 0;
  // `from` ends, and `to` goes on after whatever remains of `from` has finished. `to` is null if
  // `from` is the last thread. Returns so that `from` can unwind out of the runtime, or not at all;
  // `from` must not touch the runtime again.
  virtual void end(Thread& from, Thread* to) = 0;
};

}  // namespace rff
