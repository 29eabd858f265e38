// Condition variables: wait, timed and clock forms, signal, broadcast.
#include <pthread.h>

#include <algorithm>
#include <map>
#include <vector>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/mutex.h"

namespace rff {
namespace {

struct Waiter {
  Thread* thread;
  bool woken = false;
};

struct ConditionState {
  std::vector<Waiter*> waiters;  // in order of arrival
};

std::map<std::uint64_t, ConditionState> conditions;

ConditionState& condition_state(const void* condition) { return conditions[reinterpret_cast<std::uint64_t>(condition)]; }

bool was_woken(const Operation& op) { return static_cast<Waiter*>(op.state)->woken; }
constexpr WaitRule kWoken = {was_woken, nullptr, "a condition variable to be signalled"};

int wait(const void* condition, const void* mutex, std::uint64_t deadline, const void* caller) {
  cancellation_point();
  Thread& self = runtime->execution.current();
  MutexState& m = mutex_state(mutex);
  if (m.owner != &self) {
    return EPERM;
  }
  // Release the mutex and start to wait: one step.
  Operation release = operation(OpKind::kWait, condition, caller);
  runtime->execution.perform(release);
  std::uint32_t count = m.count;
  Operation unlocked = operation(OpKind::kUnlock, mutex, caller);
  runtime->accesses.step(self, unlocked);
  m.owner = nullptr;
  m.count = 0;
  ConditionState& c = condition_state(condition);
  Waiter waiter{&self};
  c.waiters.push_back(&waiter);

  Operation sleep = operation(OpKind::kWake, condition, caller);
  sleep.waits_for = &kWoken;
  sleep.state = &waiter;
  sleep.deadline = deadline;
  runtime->execution.perform(sleep);
  bool timed_out = sleep.timed_out && !waiter.woken;
  std::erase(c.waiters, &waiter);

  Operation lock = operation(OpKind::kLock, mutex, caller);
  wait_for_mutex(lock, m);
  runtime->execution.perform(lock);
  acquire(m, lock.site);
  m.count = count;
  cancellation_point();
  return timed_out ? ETIMEDOUT : 0;
}

int wake(OpKind op, const void* condition, const void* caller) {
  Operation o = operation(op, condition, caller);
  runtime->execution.perform(o);
  std::vector<Waiter*> asleep;
  for (Waiter* w : condition_state(condition).waiters) {
    if (!w->woken) {
      asleep.push_back(w);
    }
  }
  if (op == OpKind::kBroadcast) {
    for (Waiter* w : asleep) {
      w->woken = true;
    }
  } else if (!asleep.empty()) {
    // Any waiter may be the one: POSIX promises no order.
    asleep[runtime->choices.below(asleep.size())]->woken = true;
  }
  return 0;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) noexcept {
  if (controlled()) {
    conditions.erase(reinterpret_cast<std::uint64_t>(condition));
  }
  return RFF_REAL(pthread_cond_init)(condition, attributes);
}

RFF_EXPORT int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  if (controlled()) {
    conditions.erase(reinterpret_cast<std::uint64_t>(condition));
    return 0;
  }
  return RFF_REAL(pthread_cond_destroy)(condition);
}

RFF_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return controlled() ? wait(condition, mutex, kNever, RFF_CALLER) : RFF_REAL(pthread_cond_wait)(condition, mutex);
}

RFF_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  if (!controlled()) {
    return RFF_REAL(pthread_cond_timedwait)(condition, mutex, until);
  }
  // The C library keeps the clock in bit 1 of the last word but one of the condition variable.
  int clock = (condition->__data.__wrefs & 2) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  return wait(condition, mutex, virtual_deadline(clock, until), RFF_CALLER);
}

RFF_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                      const timespec* until) {
  return controlled() ? wait(condition, mutex, virtual_deadline(clock, until), RFF_CALLER)
                      : RFF_REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
}

RFF_EXPORT int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  return controlled() ? wake(OpKind::kSignal, condition, RFF_CALLER) : RFF_REAL(pthread_cond_signal)(condition);
}

RFF_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  return controlled() ? wake(OpKind::kBroadcast, condition, RFF_CALLER)
                      : RFF_REAL(pthread_cond_broadcast)(condition);
}
