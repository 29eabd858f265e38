// Per-thread state of the carriers.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "libsched/support/capture.h"
#include "libsched/support/stack.h"
#include "libsched/support/vector_state.h"

namespace rff {

struct Thread;

// The code that a thread executes, on its own stack.
struct ThreadCode {
  void (*body)(Thread&) = nullptr;
  // If given, called instead of `body`.
  void (*early)(Thread&) = nullptr;
  // The creating thread continues only when this one waits for its turn. If not, `early` is called
  // immediately, concurrently with the running thread. It must call ThreadCarrier::await_turn
  // before it does anything that other threads could notice.
  bool awaited = false;
  // For carriers that end threads themselves. Called after the destructors of thread-local
  // variables; does not return.
  void (*ended)(Thread&) = nullptr;
};

struct CarriedThread {
  pthread_t handle = 0;   // address of the descriptor, and fs base of a fiber
  std::uint32_t tid = 0;  // the number that the program sees
  ThreadCode code;
  std::atomic<std::uint32_t> baton{0};  // 1: this thread may run
  std::atomic<std::uint32_t> waits{0};  // 1: this thread has begun to wait for its turn
  Stack stack;                          // empty if the carrier does not own it
  std::uint64_t stack_pointer = 0;      // of a fiber that does not run
  std::uint64_t stack_top = 0;          // of the whole stack
  std::uint64_t first_frame = 0;        // required address of the program's first frame; 0: any
  // The frame of the hook's entry that saved the registers: the thread stopped between two
  // instructions, and all registers are in use. 0: the thread called a function.
  std::uint64_t entry_frame = 0;
  KeptVectors vectors;
  StopContext stop;  // at the last stop; zero if it has not run
  std::uint64_t stops = 0;
};

}  // namespace rff
