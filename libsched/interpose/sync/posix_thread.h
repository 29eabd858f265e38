// The part of a thread's state that belongs to the pthread functions.
#pragma once

#include <string>

#include "libsched/engine/thread.h"
#include "schedule/hash.h"

namespace rff {

// The processors that a thread may use, which changes only what it is told of the machine.
struct AllowedProcessors {
  bool all = true;
  std::uint64_t words[16] = {};  // one bit for each, unless all are allowed
};

struct PosixThread {
  void* (*entry)(void*) = nullptr;  // as given to pthread_create
  void* argument = nullptr;
  // The program's own function and argument, if `entry` is LeakSanitizer's code.
  void* (*inner_entry)(void*) = nullptr;
  void* inner_argument = nullptr;
  void* result = nullptr;
  std::string label;  // set by pthread_setname_np
  bool detached = false;
  bool released = false;  // joined, or detached and ended: its handle is no longer valid
  bool cancel_enabled = true;
  bool cancel_asynchronous = false;
  alignas(8) bool cancel_requested = false;  // requests write it as a separate object
  Thread* joiner = nullptr;
  int policy = 0;  // SCHED_OTHER; see priorities.cc
  int priority = 0;
  AllowedProcessors allowed;
  Random random;  // source of the program's random numbers, independent of the schedule
};

}  // namespace rff
