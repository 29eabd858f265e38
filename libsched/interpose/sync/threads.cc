// Threads: create, join and its timed forms, detach, exit, yield.
#include <pthread.h>
#include <sched.h>

#include "libsched/interpose/interpose.h"
#include "libsched/support/aside.h"
#include "libsched/support/vector_state.h"

namespace rff {

thread_local bool known_thread = false;

namespace {

constexpr long kStartDepth = 1408;  // bytes of stack that a carrier may use to start a thread

pthread_key_t end_key;

// The last of the target's code in a thread are destructors of thread-specific values. Ours puts
// itself back until the C library's last round, so that it comes after all of them.
void at_thread_end(void* rounds) {
  auto round = reinterpret_cast<std::uintptr_t>(rounds);
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS) {
    RFF_REAL(pthread_setspecific)(end_key, reinterpret_cast<void*>(round + 1));
    return;
  }
  if (controlled()) {
    // The last thread stays: it runs the program's exit handlers.
    bool last = runtime->execution.live() == 1;
    runtime->execution.end_current();
    known_thread = last;
  }
}

// Functions keep their callers' registers on the stack, and what a carrier has left in them is its
// own.
__attribute__((always_inline)) inline void* call_with_clear_registers(void* (*entry)(void*),
                                                                      void* argument) {
  void* result;
  asm volatile(
      "xorl %%ebx, %%ebx\n\t"
      "xorl %%r12d, %%r12d\n\t"
      "xorl %%r13d, %%r13d\n\t"
      "xorl %%r14d, %%r14d\n\t"
      "xorl %%r15d, %%r15d\n\t"
      "call *%%rax"
      : "=a"(result), "+D"(argument)
      : "0"(entry)
      : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory",
        "cc");
  return result;
}

void* run_thread(void* argument) {
  if (!runtime->execution.carrier().ends_threads_itself()) {
    RFF_REAL(pthread_setspecific)(end_key, reinterpret_cast<void*>(1));
  }
  Thread& t = runtime->execution.current();
  clear_vectors();
  wipe_stack_below(kStartDepth);
  return call_with_clear_registers(t.user_entry, argument);
}

bool thread_ended(const Operation& op) {
  return static_cast<Thread*>(op.state)->state == ThreadState::kEnded;
}

Thread* thread_itself(const Operation& op, CodeName*) { return static_cast<Thread*>(op.state); }

constexpr WaitRule kThreadEnd = {thread_ended, thread_itself, "the end of a thread", true};

}  // namespace

// Destructors run in the order of their keys, and the C library gives out the lowest free one: take
// the last of those that cost a thread no allocation.
void make_end_key() {
  constexpr int kCheapKeys = 32;
  pthread_key_t keys[kCheapKeys];
  int made = 0;
  while (made < kCheapKeys && RFF_REAL(pthread_key_create)(&keys[made], at_thread_end) == 0) {
    ++made;
  }
  RFF_CHECK(made > 0);
  end_key = keys[--made];
  while (made > 0) {
    RFF_REAL(pthread_key_delete)(keys[--made]);
  }
}

int create_thread(pthread_t* handle, const pthread_attr_t* attributes, void* (*entry)(void*),
                  void* argument, const void* caller) {
  runtime->start_run();
  Operation op = operation(OpKind::kThreadCreate, nullptr, caller);
  op.place = {LocationKind::kThread, op.site.packed(), 0};
  runtime->execution.perform(op);
  Thread* t = nullptr;
  int error = runtime->execution.create(&t, attributes, run_thread, argument, op.site);
  if (error == 0) {
    forget_objects(t->stack_low, t->stack_high - t->stack_low);
    t->user_entry = entry;
    *handle = t->handle;
  }
  return error;
}

// `wait` false: only a try.
int join_thread(pthread_t handle, void** result, bool wait, std::uint64_t deadline,
                const void* caller) {
  Thread* t = runtime->execution.find(handle);
  if (t == nullptr) {
    return ESRCH;
  }
  Thread& self = runtime->execution.current();
  if (t->detached || (t->joiner != nullptr && wait)) {
    return EINVAL;
  }
  if (t == &self || self.joiner == t) {
    return EDEADLK;
  }
  Operation op = operation(OpKind::kThreadJoin, t, caller);
  op.place = {LocationKind::kThread, t->created_at.packed(), 0};
  op.state = t;
  if (wait) {
    cancellation_point();
    t->joiner = &self;
    op.waits_for = &kThreadEnd;
    op.deadline = deadline;
    op.cancellable = true;
  } else {
    op.tries = &kThreadEnd;
  }
  runtime->execution.perform(op);
  if (wait) {
    t->joiner = nullptr;
    if (was_cancelled(op)) {
      act_on_cancellation();
    }
  }
  if (t->state != ThreadState::kEnded) {
    return wait ? ETIMEDOUT : EBUSY;
  }
  if (result != nullptr) {
    *result = t->result;
  }
  runtime->execution.release(*t);
  return 0;
}

int detach_thread(pthread_t handle) {
  Thread* t = runtime->execution.find(handle);
  return t != nullptr ? runtime->execution.detach(*t) : ESRCH;
}

void exit_thread(void* result) {
  Thread& t = runtime->execution.current();
  t.result = result;
  t.cancel_enabled = false;
  if (t.index == 0) {
    runtime->start_run();
    RFF_REAL(pthread_setspecific)(end_key, reinterpret_cast<void*>(1));
  }
  RFF_REAL(pthread_exit)(result);
  __builtin_unreachable();
}

void yield(const void* caller) {
  if (watched()) {
    Operation op = operation(OpKind::kYield, nullptr, caller);
    runtime->execution.perform(op);
  }
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes,
                              void* (*entry)(void*), void* argument) noexcept {
  return controlled() ? create_thread(handle, attributes, entry, argument, RFF_CALLER)
                      : RFF_REAL(pthread_create)(handle, attributes, entry, argument);
}

RFF_EXPORT int pthread_join(pthread_t handle, void** result) {
  return controlled() ? join_thread(handle, result, true, kNever, RFF_CALLER)
                      : RFF_REAL(pthread_join)(handle, result);
}

RFF_EXPORT int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  return controlled() ? join_thread(handle, result, false, kNever, RFF_CALLER)
                      : RFF_REAL(pthread_tryjoin_np)(handle, result);
}

RFF_EXPORT int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* until) {
  if (!controlled()) {
    return RFF_REAL(pthread_timedjoin_np)(handle, result, until);
  }
  if (until != nullptr && !valid_nanoseconds(until)) {
    return EINVAL;
  }
  return join_thread(handle, result, true,
                     until != nullptr ? virtual_deadline(CLOCK_REALTIME, until) : kNever,
                     RFF_CALLER);
}

RFF_EXPORT int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock,
                                    const timespec* until) {
  if (!controlled()) {
    return RFF_REAL(pthread_clockjoin_np)(handle, result, clock, until);
  }
  if (!can_wait_on(clock) || (until != nullptr && !valid_nanoseconds(until))) {
    return EINVAL;
  }
  return join_thread(handle, result, true,
                     until != nullptr ? virtual_deadline(clock, until) : kNever, RFF_CALLER);
}

RFF_EXPORT int pthread_detach(pthread_t handle) noexcept {
  return controlled() ? detach_thread(handle) : RFF_REAL(pthread_detach)(handle);
}

RFF_EXPORT void pthread_exit(void* result) {
  if (controlled()) {
    exit_thread(result);
  }
  RFF_REAL(pthread_exit)(result);
  __builtin_unreachable();
}

RFF_EXPORT int sched_yield() noexcept {
  if (controlled()) {
    yield(RFF_CALLER);
  }
  return 0;
}
