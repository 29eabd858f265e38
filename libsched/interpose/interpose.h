// Helpers that all interposers share. An interposer replaces functions of the C library, one file
// per API family: each function performs a pending operation and then takes its effect.
#pragma once

#include <cerrno>
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

// Returns whether this thread is under control. No thread is before libsched is initialized, nor in
// child processes of the program.
inline bool controlled() { return runtime != nullptr && known_thread; }

// Returns whether another thread could observe the effects of this one.
inline bool watched() {
  return controlled() && runtime->run.begun() && !runtime->run.execution.alone();
}

// The same, or a check of memory has to see them.
inline bool seen() {
  return controlled() && runtime->run.begun() &&
         (!runtime->run.execution.alone() || runtime->run.check.active());
}

// The end of a call that fails as the C library's do.
inline int failed(int error) {
  errno = error;
  return -1;
}

// Returns an operation on an object at the caller's code location.
inline Operation operation(OpKind op, const void* object, const void* return_address) {
  Operation o;
  o.op = op;
  o.address = reinterpret_cast<std::uint64_t>(object);
  o.site = runtime->code(return_address);
  return o;
}

// Notes that the run no longer depends on its schedule alone, and reports the cause `what`.
inline void touched_outside(const char* what) {
  runtime->process.unmodelled(what);
  if (runtime->process.shared != nullptr) {
    runtime->process.shared->run.flags |= kTouchedOutside;
  }
}

// For a primitive; `shared`: it was created for use by several processes. Returns whether another
// process may use it, and notes that if so.
inline bool used_outside(bool shared, const char* what) {
  if (shared && runtime->process.shares_memory) {
    touched_outside(what);
    return true;
  }
  return false;
}

#define RFF_CALLER __builtin_return_address(0)

// Virtual time; see interpose/time/time.cc.
std::uint64_t virtual_deadline(int clock, const timespec* absolute);
std::uint64_t virtual_after(const timespec& duration);
inline bool valid_nanoseconds(const timespec* t) {
  return t->tv_nsec >= 0 && t->tv_nsec < 1'000'000'000;
}
// Returns whether the C library can wait on this clock.
inline bool can_wait_on(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

// Cancellation; see interpose/sync/cancel.cc. A blocking function that is a cancellation point
// calls cancellation_point before it waits, marks the operation it waits with as cancellable, and
// calls was_cancelled afterwards.
void cancellation_point();
bool was_cancelled(const Operation& op);
[[noreturn]] void act_on_cancellation();
// Cancels a thread whose cancelability is asynchronous and that has a request. Call where the
// thread is in the middle of its own code.
void cancel_if_asynchronous();

// Sets policy and priority of a new thread. Returns 0 or an errno value.
int choose_priority(Thread& t, const pthread_attr_t* attributes);

// Functions of other families that C11 threads and raw system calls use too.
int create_thread(pthread_t* handle, const pthread_attr_t* attributes, void* (*entry)(void*),
                  void* argument, const void* caller);
int join_thread(pthread_t handle, void** result, bool wait, std::uint64_t deadline,
                const void* caller);
int detach_thread(pthread_t handle);
void await_end(Thread& t, const void* caller);
[[noreturn]] void exit_thread(void* result);
// Returns the time left if a signal ended the sleep, otherwise 0.
std::uint64_t sleep_until(std::uint64_t deadline, const void* caller);
void yield(const void* caller);
int wait_condition(const void* condition, const void* mutex, std::uint64_t deadline,
                   const void* caller);
int wake_condition(OpKind op, const void* condition, const void* caller);
std::uint64_t condition_deadline(const void* condition, const timespec* until);
void forget_condition(const void* condition);
int call_once_only(int* control, void (*routine)(), const void* caller);
long futex_call(const long (&a)[6], const void* caller);  // returns the kernel's value

}  // namespace rff
