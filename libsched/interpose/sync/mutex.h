// The state of a mutex, shared with other families that use mutexes (condition variables, C11).
#pragma once

#include <cstdint>

#include "libsched/engine/operation.h"
#include "libsched/engine/thread.h"

namespace rff {

struct MutexState {
  const void* address = nullptr;
  Thread* owner = nullptr;
  std::uint32_t count = 0;
  CodeName since;  // where the owner acquired it
  bool robust = false;
  bool shared = false;         // with other processes: its own memory shows whether it is free
  bool owner_died = false;     // the next owner gets EOWNERDEAD
  bool unrecoverable = false;  // the owner did not make it consistent
};

MutexState& mutex_state(const void* mutex);
int mutex_kind(const void* mutex);  // PTHREAD_MUTEX_NORMAL, _RECURSIVE, _ERRORCHECK
void forget_mutex(const void* mutex);
// Makes an operation wait until the mutex is free. acquire() is then its effect; it returns 0,
// EOWNERDEAD, ENOTRECOVERABLE, or EBUSY if another process was faster.
void wait_for_mutex(Operation& op, MutexState& m);
int acquire(MutexState& m, CodeName site);
void release(MutexState& m);

// `until`: null for no limit. Its nanoseconds are checked only if the mutex is not free, as in the
// C library.
int lock_mutex(const void* mutex, int clock, const timespec* until, const void* caller);
int try_lock_mutex(const void* mutex, const void* caller);
int unlock_mutex(const void* mutex, const void* caller);

}  // namespace rff
