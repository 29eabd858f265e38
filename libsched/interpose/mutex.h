// The state of a mutex, for the families that use mutexes too (condition variables, C11 threads).
#pragma once

#include <cstdint>

#include "libsched/operation.h"
#include "libsched/thread.h"

namespace rff {

struct MutexState {
  Thread* owner = nullptr;
  std::uint32_t count = 0;
  int kind = 0;    // PTHREAD_MUTEX_NORMAL, _RECURSIVE, _ERRORCHECK
  CodeName since;  // where the owner acquired it
};

MutexState& mutex_state(const void* mutex);
void forget_mutex(const void* mutex);
// Makes an operation wait until the mutex is free; acquire() is then its effect.
void wait_for_mutex(Operation& op, MutexState& m);
void acquire(MutexState& m, CodeName site);

int lock_mutex(const void* mutex, std::uint64_t deadline, const void* caller);
int try_lock_mutex(const void* mutex, const void* caller);
int unlock_mutex(const void* mutex, const void* caller);

}  // namespace rff
