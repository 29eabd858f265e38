// Scopes in which the C library acts on behalf of the runtime.
#pragma once

#include "libsched/support/arena.h"

namespace rff {

// While one exists, what the C library does (allocating, freeing) is no event of the program.
class InsideRuntime {
 public:
  InsideRuntime() { ++now_.depth; }
  ~InsideRuntime() { --now_.depth; }
  InsideRuntime(const InsideRuntime&) = delete;
  InsideRuntime& operator=(const InsideRuntime&) = delete;
  static bool active() { return now_.depth > 0; }
  static const int* depth_at() { return &now_.depth; }

 protected:
  struct Now {
    int depth;
    bool making_thread;
  };
  alignas(kOnBusyPage) inline static constinit Now now_ = {};
};

// The same while a thread is created. Allocations of the C library for its thread-local variables
// then use memory of the runtime: they would otherwise lie between the program's blocks, and a run
// would touch pages of the heap and of its code for nothing else.
class MakingThread : public InsideRuntime {
 public:
  MakingThread() { now_.making_thread = true; }
  ~MakingThread() { now_.making_thread = false; }
  static bool active() { return now_.making_thread; }
};

}  // namespace rff
