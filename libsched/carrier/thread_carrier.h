// What the threads of the target run on: kernel threads or fibers.
#pragma once

#include <pthread.h>

#include "libsched/carrier/carried_thread.h"
#include "libsched/engine/carrier.h"
#include "schedule/failure.h"

namespace rff {

class ThreadCarrier : public Carrier {
 public:
  // Makes a thread that calls `code.body` once it is switched to, and says where its stack is. 0
  // or an errno value.
  virtual int create(Thread& t, const pthread_attr_t* attributes, const ThreadCode& code) = 0;
  // Gives the resources of an ended thread back (it was joined or is detached).
  virtual void release(Thread& t) = 0;
  // In a new thread, see ThreadCode::early: returns when it is switched to.
  virtual void await_turn(Thread& t) = 0;
  // Whether the carrier calls `code.ended` by itself at the end of a thread.
  virtual bool ends_threads_itself() const { return false; }

  // Keeps what `from` has in vector registers, and leaves nothing on its stack.
  void switch_to(Thread& from, Thread& to) final;

 protected:
  virtual void hand_over(Thread& from, Thread& to) = 0;
};

ThreadCarrier& kernel_threads();
// From now on they have their names in the kernel, where a debugger shows them.
void name_kernel_threads();
ThreadCarrier& fibers();
class HeapListener {
 public:
  virtual ~HeapListener() = default;
  // The program has damaged the allocator's own memory, as `function` of the C library would find
  // out, end with the signal and say in these words.
  [[noreturn]] virtual void heap_damaged(const FailureFacts& facts, const char* words,
                                         const void* function) = 0;
};
// Before the first thread: null if fibers work here, else why not.
const char* prepare_fibers(Thread& main, HeapListener& heap);
// Where the program's first frame of a thread shall be; 0 if anywhere.
std::uint64_t first_frame(pthread_t handle);

}  // namespace rff
