// A thread as the functions of the C library know it.
#pragma once

#include <string>

#include "libsched/engine/thread.h"
#include "schedule/hash.h"

namespace rff {

struct PosixThread {
  void* (*entry)(void*) = nullptr;  // what the program asked for
  void* argument = nullptr;
  // The same where a sanitizer is asked for a thread and asks for one in turn.
  void* (*inner_entry)(void*) = nullptr;
  void* inner_argument = nullptr;
  void* result = nullptr;
  std::string label;  // pthread_setname_np
  bool detached = false;
  bool released = false;  // joined, or detached and ended: its handle is no longer valid
  bool cancel_enabled = true;
  bool cancel_asynchronous = false;
  alignas(8) bool cancel_requested = false;  // an object of its own: requests write it
  Thread* joiner = nullptr;
  int policy = 0;  // SCHED_OTHER; see priorities.cc
  int priority = 0;
  Random random;  // what the program draws, whatever the schedule
};

}  // namespace rff
