// Shared by the interposers: one file per API family, each function a pending operation and then
// its effect.
#pragma once

#include <ctime>

#include "libsched/interpose/objects.h"
#include "libsched/interpose/target_thread.h"
#include "libsched/process/runtime.h"
#include "libsched/support/check.h"
#include "libsched/support/inside_runtime.h"
#include "libsched/support/known_thread.h"
#include "libsched/support/real.h"
#include "libsched/support/words.h"

namespace rff {

// Whether this thread is under control. Before libsched is initialised and in children of the
// program nothing is.
inline bool controlled() { return runtime != nullptr && known_thread; }

// Whether another thread could notice what this one does.
inline bool watched() {
  return controlled() && runtime->run.begun() && runtime->run.execution.live() > 1;
}

// An operation on an object at the caller's code location.
inline Operation operation(OpKind op, const void* object, const void* return_address) {
  Operation o;
  o.op = op;
  o.address = reinterpret_cast<std::uint64_t>(object);
  o.site = runtime->code(return_address);
  return o;
}

// The run is no longer a function of its schedule alone; says what made it so.
inline void touched_outside(const char* what) {
  runtime->process.unmodelled(what);
  if (runtime->process.shared != nullptr) {
    runtime->process.shared->run.flags |= kTouchedOutside;
  }
}

// A primitive that was made to be shared between processes; says whether one outside may use it.
inline bool used_outside(bool shared, const char* what) {
  if (shared && runtime->process.shares_memory) {
    touched_outside(what);
    return true;
  }
  return false;
}

#define RFF_CALLER __builtin_return_address(0)

// Time; see interpose/time.cc.
std::uint64_t virtual_deadline(int clock, const timespec* absolute);
std::uint64_t virtual_after(const timespec& duration);
inline bool valid_nanoseconds(const timespec* t) {
  return t->tv_nsec >= 0 && t->tv_nsec < 1'000'000'000;
}
// Clocks that the C library waits on.
inline bool can_wait_on(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

// Cancellation; see interpose/cancel.cc. Blocking functions that are cancellation points ask before
// they wait, mark the operation they wait with as cancellable, and ask afterwards whether it was
// cancelled.
void cancellation_point();
bool was_cancelled(const Operation& op);
[[noreturn]] void act_on_cancellation();
// Where a thread that may be cancelled at any time is in the middle of its own code.
void cancel_if_asynchronous();

// Policy and priority of a new thread; 0 or an errno value.
int choose_priority(Thread& t, const pthread_attr_t* attributes);

// The parts of other families that C11 threads and raw system calls share.
int create_thread(pthread_t* handle, const pthread_attr_t* attributes, void* (*entry)(void*),
                  void* argument, const void* caller);
int join_thread(pthread_t handle, void** result, bool wait, std::uint64_t deadline,
                const void* caller);
int detach_thread(pthread_t handle);
[[noreturn]] void exit_thread(void* result);
// What is left of the time if a signal ended the sleep, else 0.
std::uint64_t sleep_until(std::uint64_t deadline, const void* caller);
void yield(const void* caller);
int wait_condition(const void* condition, const void* mutex, std::uint64_t deadline,
                   const void* caller);
int wake_condition(OpKind op, const void* condition, const void* caller);
std::uint64_t condition_deadline(const void* condition, const timespec* until);
void forget_condition(const void* condition);
int call_once_only(int* control, void (*routine)(), const void* caller);
long futex_call(const long (&a)[6], const void* caller);  // the kernel's value

}  // namespace rff
