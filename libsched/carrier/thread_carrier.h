// Interface of the carriers (kernel threads or fibers) to the code that creates threads.
#pragma once

#include <pthread.h>

#include "libsched/carrier/carried_thread.h"
#include "libsched/engine/carrier.h"
#include "schedule/failure.h"

namespace rff {

class ThreadCarrier : public Carrier {
 public:
  // Creates a thread that calls `code.body` once it is switched to, and sets the bounds of its
  // stack. Returns 0 or an errno value.
  virtual int create(Thread& t, const pthread_attr_t* attributes, const ThreadCode& code) = 0;
  // Frees the resources of an ended thread, which was joined or is detached.
  virtual void release(Thread& t) = 0;
  // Call in a new thread, see ThreadCode::early. Returns when the thread is switched to.
  virtual void await_turn(Thread& t) = 0;
  // Returns whether the carrier calls `code.ended` by itself at the end of a thread.
  virtual bool ends_threads_itself() const { return false; }

  // Saves the vector registers of `from`, and leaves no traces on its stack.
  void switch_to(Thread& from, Thread& to) final;

 protected:
  virtual void hand_over(Thread& from, Thread& to) = 0;
};

ThreadCarrier& kernel_threads();
// Gives kernel threads the names of the program's threads from now on, for debuggers.
void name_kernel_threads();
ThreadCarrier& fibers();
class HeapListener {
 public:
  virtual ~HeapListener() = default;
  // Called when the program has damaged the allocator's own memory. `function`: the C library's
  // function that would notice and end the program with this signal and these words.
  [[noreturn]] virtual void heap_damaged(const FailureFacts& facts, const char* words,
                                         const void* function) = 0;
};
// Call before the first thread. Returns null if fibers work here, otherwise the reason why not.
const char* prepare_fibers(Thread& main, HeapListener& heap);
// Returns the required address of the thread's first program frame; 0: any.
std::uint64_t first_frame(pthread_t handle);

}  // namespace rff
