// What the carriers keep of a thread.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "libsched/support/capture.h"
#include "libsched/support/stack.h"
#include "libsched/support/vector_state.h"

namespace rff {

struct Thread;

// The code that a thread executes, in its own stack.
struct ThreadCode {
  void (*body)(Thread&) = nullptr;
  // If given, called in place of `body` and at once, beside the thread that goes on: it calls
  // ThreadCarrier::await_turn before it does anything that others could notice.
  void (*early)(Thread&) = nullptr;
  // The thread that makes this one goes on when this one waits for its turn.
  bool awaited = false;
  // For carriers that end threads themselves: after the destructors of its thread-local variables.
  // Does not return.
  void (*ended)(Thread&) = nullptr;
};

struct CarriedThread {
  pthread_t handle = 0;   // the address of its descriptor, and the fs base of a fiber
  std::uint32_t tid = 0;  // the number that the program sees
  ThreadCode code;
  std::atomic<std::uint32_t> baton{0};  // 1: this thread may run
  std::atomic<std::uint32_t> waits{0};  // 1: this thread has begun to wait for its turn
  Stack stack;                          // none if it is not the carrier's to give back
  std::uint64_t stack_pointer = 0;      // of a fiber that does not run
  std::uint64_t stack_top = 0;          // of the whole stack
  std::uint64_t first_frame = 0;        // where the program's first frame shall be; 0 if anywhere
  // The frame of the hook's entry that has saved the registers: the thread stopped between two
  // instructions, and all of them are in use. 0: it has called a function.
  std::uint64_t entry_frame = 0;
  KeptVectors vectors;
  StopContext stop;  // where it stopped last; zero if it has not run
};

}  // namespace rff
