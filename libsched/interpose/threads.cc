// Threads: create, join, detach, exit, yield.
#include <pthread.h>
#include <sched.h>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

pthread_key_t end_key;
bool end_key_made = false;

// The last of the target's code in a thread are destructors of thread-specific values. Ours puts itself back until
// the C library's last round, so that it comes after (nearly) all of them.
void at_thread_end(void* rounds) {
  auto round = reinterpret_cast<std::uintptr_t>(rounds);
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS) {
    RFF_REAL(pthread_setspecific)(end_key, reinterpret_cast<void*>(round + 1));
    return;
  }
  if (controlled()) {
    runtime->execution.end_current();
  }
}

void* run_thread(void* argument) {
  if (!runtime->execution.carrier().ends_threads_itself()) {
    RFF_REAL(pthread_setspecific)(end_key, reinterpret_cast<void*>(1));
  }
  Thread& t = runtime->execution.current();
  return t.user_entry(argument);
}

bool thread_ended(const Operation& op) { return static_cast<Thread*>(op.state)->state == ThreadState::kEnded; }

Thread* thread_itself(const Operation& op, CodeName*) { return static_cast<Thread*>(op.state); }

constexpr WaitRule kThreadEnd = {thread_ended, thread_itself, "the end of a thread"};

int join(Thread* t, void** result, Operation op) {
  if (t == nullptr || t->joined) {
    return ESRCH;
  }
  if (t->detached || t->joiner != nullptr) {
    return EINVAL;
  }
  Thread& self = runtime->execution.current();
  if (t == &self) {
    return EDEADLK;
  }
  t->joiner = &self;
  op.place = {LocationKind::kThread, t->created_at.packed(), 0};
  op.waits_for = &kThreadEnd;
  op.state = t;
  runtime->execution.perform(op);
  t->joiner = nullptr;
  if (op.timed_out && t->state != ThreadState::kEnded) {
    return ETIMEDOUT;
  }
  t->joined = true;
  if (result != nullptr) {
    *result = t->result;
  }
  if (t->index != 0) {
    runtime->execution.release(*t);
  }
  return 0;
}

}  // namespace

void make_end_key() {
  if (!end_key_made) {
    RFF_REAL(pthread_key_create)(&end_key, at_thread_end);
    end_key_made = true;
    RFF_REAL(pthread_setspecific)(end_key, nullptr);
  }
}

void cancellation_point() {
  Thread& t = runtime->execution.current();
  if (t.cancel_requested && t.cancel_enabled) {
    t.cancel_requested = false;
    t.result = PTHREAD_CANCELED;
    RFF_REAL(pthread_exit)(PTHREAD_CANCELED);
  }
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*entry)(void*),
                              void* argument) noexcept {
  if (!controlled()) {
    return RFF_REAL(pthread_create)(handle, attributes, entry, argument);
  }
  CodeName site = runtime->code(RFF_CALLER);
  runtime->start_run();
  Operation op = operation(OpKind::kThreadCreate, nullptr, RFF_CALLER);
  op.place = {LocationKind::kThread, site.packed(), 0};
  runtime->execution.perform(op);
  Thread* t = nullptr;
  int error = runtime->execution.create(&t, attributes, run_thread, argument, site);
  if (error == 0) {
    t->user_entry = entry;
    *handle = t->handle;
  }
  return error;
}

RFF_EXPORT int pthread_join(pthread_t handle, void** result) {
  if (!controlled()) {
    return RFF_REAL(pthread_join)(handle, result);
  }
  Thread* t = runtime->execution.find(handle);
  return join(t, result, operation(OpKind::kThreadJoin, t, RFF_CALLER));
}

RFF_EXPORT int pthread_detach(pthread_t handle) noexcept {
  if (!controlled()) {
    return RFF_REAL(pthread_detach)(handle);
  }
  Thread* t = runtime->execution.find(handle);
  if (t == nullptr) {
    return ESRCH;
  }
  if (t->detached) {
    return EINVAL;
  }
  t->detached = true;
  if (t->state == ThreadState::kEnded && t->index != 0) {
    t->joined = true;
    runtime->execution.release(*t);
  }
  return 0;
}

RFF_EXPORT void pthread_exit(void* result) {
  if (controlled()) {
    Thread& t = runtime->execution.current();
    t.result = result;
    if (t.index == 0) {
      runtime->start_run();
      make_end_key();
      RFF_REAL(pthread_setspecific)(end_key, reinterpret_cast<void*>(1));
    }
  }
  RFF_REAL(pthread_exit)(result);
  __builtin_unreachable();
}

RFF_EXPORT int sched_yield() noexcept {
  if (!controlled() || !runtime->run_started() || runtime->execution.live() == 1) {
    return 0;
  }
  Operation op = operation(OpKind::kYield, nullptr, RFF_CALLER);
  runtime->execution.perform(op);
  return 0;
}
