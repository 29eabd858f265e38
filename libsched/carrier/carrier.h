// What a thread of the target runs on. Exactly one of them runs at any time.
#pragma once

#include "libsched/engine/thread.h"

namespace rff {

class Carrier {
 public:
  virtual ~Carrier() = default;
  // Makes a thread that will call `body(t)` once it is switched to, and says where its stack is. 0
  // or an errno value.
  virtual int create(Thread& t, const pthread_attr_t* attributes, void (*body)(Thread&)) = 0;
  // `from` stops, `to` goes on; returns when somebody switches back to `from`.
  virtual void switch_to(Thread& from, Thread& to) = 0;
  // `from` ends: `to` goes on, after whatever remains of `from` has finished. Returns so that
  // `from` can unwind out of the runtime; it must not touch the runtime again.
  virtual void end(Thread& from, Thread* to) = 0;
  // Gives the resources of an ended thread back (it was joined or is detached).
  virtual void release(Thread& t) = 0;
  // Whether the carrier calls Execution::end_current() by itself at the end of a thread.
  virtual bool ends_threads_itself() const { return false; }
};

Carrier& kernel_threads();
Carrier& fibers();
// Where the program's first frame of a thread shall be; 0 if anywhere.
std::uint64_t first_frame(pthread_t handle);
// Before the first thread: null if fibers work here, else why not.
const char* prepare_fibers(Thread& main);

}  // namespace rff
