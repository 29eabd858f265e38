// Threads: create, join with its timed forms, detach, exit, yield.
#include <pthread.h>
#include <sched.h>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/sync/thread_keys.h"
#include "libsched/interpose/sync/thread_table.h"

namespace rff {

namespace {

pthread_key_t end_key;

// Destructors of thread-specific values are the last code of the target in a thread. This
// destructor sets its value again until the C library's last round, so that it runs after all of
// them.
void at_thread_end(void* rounds) {
  auto round = reinterpret_cast<std::uintptr_t>(rounds);
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS) {
    RFF_REAL(pthread_setspecific)(end_key, reinterpret_cast<void*>(round + 1));
    if (controlled()) {
      // In the last round a sanitizer unmaps memory that the program has written to.
      runtime->run.accesses.commit(runtime->run.execution.current());
    }
    return;
  }
  if (controlled()) {
    // The last thread stays known: it runs the program's exit handlers.
    bool last = runtime->run.execution.live() == 1;
    end_thread();
    known_thread = last;
  }
}

bool thread_ended(const Operation& op) {
  return static_cast<Thread*>(op.state)->state == ThreadState::kEnded;
}

Thread* thread_itself(const Operation& op, CodeName*) { return static_cast<Thread*>(op.state); }

constexpr WaitRule kThreadEnd = {thread_ended, thread_itself, WaitObject::kThreadEnd, true};

}  // namespace

void end_with_destructors() { RFF_REAL(pthread_setspecific)(end_key, reinterpret_cast<void*>(1)); }

// Destructors run in the order of their keys, and the C library returns the lowest free key: this
// takes the last of the keys for which a thread needs no allocation.
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
  if (runtime->process.sanitizer.keeps_threads()) {
    // It is the caller, and may hold a lock of its own, for which other threads would wait unseen.
    // Not to stop loses nothing: only the new thread minds the order.
    Accesses& accesses = runtime->run.accesses;
    accesses.commit(runtime->run.execution.current());
    accesses.object_event(runtime->run.execution.current(), op.op, 0, op.site);
  } else {
    runtime->run.execution.perform(op);
  }
  Thread* t = nullptr;
  int error = make_thread(&t, attributes, entry, argument, op.site);
  if (error == 0) {
    *handle = t->carried->handle;
  }
  return error;
}

// `wait`: false to only try.
int join_thread(pthread_t handle, void** result, bool wait, std::uint64_t deadline,
                const void* caller) {
  Thread* t = find_thread(handle);
  if (t == nullptr) {
    return ESRCH;
  }
  Thread& self = runtime->run.execution.current();
  if (t->posix->detached || (t->posix->joiner != nullptr && wait)) {
    return EINVAL;
  }
  if (t == &self || self.posix->joiner == t) {
    return EDEADLK;
  }
  Operation op = operation(OpKind::kThreadJoin, t, caller);
  op.place = {LocationKind::kThread, t->created_at.packed(), 0};
  op.state = t;
  if (wait) {
    cancellation_point();
    t->posix->joiner = &self;
    op.waits_for = &kThreadEnd;
    op.deadline = deadline;
    op.cancellable = true;
  } else {
    op.tries = &kThreadEnd;
  }
  SyncOrder& order = runtime->run.accesses.sharing.order;
  order.joins(self, wait && deadline == kNever ? t : nullptr);
  runtime->run.execution.perform(op);
  order.joins(self, nullptr);
  if (wait) {
    t->posix->joiner = nullptr;
    if (was_cancelled(op)) {
      act_on_cancellation();
    }
  }
  if (t->state != ThreadState::kEnded) {
    return wait ? ETIMEDOUT : EBUSY;
  }
  order.joined(self, *t);
  if (result != nullptr) {
    *result = t->posix->result;
  }
  release_thread(*t);
  return 0;
}

void await_end(Thread& t, const void* caller) {
  if (t.state == ThreadState::kEnded) {
    return;
  }
  Operation op = operation(OpKind::kThreadJoin, &t, caller);
  op.place = {LocationKind::kThread, t.created_at.packed(), 0};
  op.state = &t;
  op.waits_for = &kThreadEnd;
  runtime->run.execution.perform(op);
}

int detach_thread(pthread_t handle) {
  Thread* t = find_thread(handle);
  return t != nullptr ? detach_thread(*t) : ESRCH;
}

void exit_thread(void* result) {
  Thread& t = runtime->run.execution.current();
  if (t.index == 0 && runtime->process.host != nullptr) {
    runtime->run.findings.assertion("the body called pthread_exit: only threads it creates may",
                                    runtime->code(RFF_CALLER));
  }
  t.posix->result = result;
  t.posix->cancel_enabled = t.cancel_due = false;
  if (t.index == 0) {
    runtime->start_run();
    end_with_destructors();
  }
  RFF_REAL(pthread_exit)(result);
  __builtin_unreachable();
}

void yield(const void* caller) {
  if (watched()) {
    Operation op = operation(OpKind::kYield, nullptr, caller);
    runtime->run.execution.perform(op);
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
