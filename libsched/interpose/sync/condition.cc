// Condition variables: wait with its timed and clock forms, signal, broadcast.
#include <pthread.h>

#include <algorithm>
#include <vector>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/sync/mutex.h"
#include "libsched/libc/lock_layouts.h"

namespace rff {
namespace {

struct Waiter {
  bool woken = false;
  std::uint64_t moments = kNever;  // if shared with other processes: see was_woken
};

struct ConditionState {
  std::vector<Waiter*> asleep;
};

using Conditions = Objects<ConditionState>;

// A thread that waits for other processes checks again after a moment: POSIX allows spurious
// wakeups.
bool was_woken(const Operation& op) {
  auto* w = static_cast<Waiter*>(op.state);
  return w->woken || (w->moments != kNever && runtime->run.execution.moments() > w->moments);
}
constexpr WaitRule kWoken = {was_woken, nullptr, WaitObject::kConditionVariable, true};

// What the thread does comes after what the one did that woke it, if any.
void come_after_waker(Thread& self, const Waiter* waiter) {
  SyncOrder& order = runtime->run.accesses.sharing.order;
  order.acquire(self, waiter);
  order.forget(waiter);
}

void wake(Waiter& w) {
  runtime->run.accesses.sharing.order.release(runtime->run.execution.current(), &w);
  w.woken = true;
  runtime->run.execution.changed(&w);
}

}  // namespace

void forget_condition(const void* condition) { Conditions::instance().forget(condition); }

int wait_condition(const void* condition, const void* mutex, std::uint64_t deadline,
                   const void* caller) {
  cancellation_point();
  Thread& self = runtime->run.execution.current();
  MutexState& m = mutex_state(mutex);
  if (m.owner != &self && mutex_kind(mutex) != PTHREAD_MUTEX_NORMAL) {
    return EPERM;
  }
  // Releasing the mutex and starting to wait are one step.
  Operation start = operation(OpKind::kWait, condition, caller);
  runtime->run.execution.perform(start);
  ConditionState& c = Conditions::instance().at(condition);
  // A recursive mutex locked more than once stays locked, as in the C library.
  std::uint32_t count = m.count;
  if (count > 1) {
    --m.count;
  } else {
    Operation unlocked = operation(OpKind::kUnlock, mutex, caller);
    runtime->run.accesses.step(self, unlocked);
    release(m);
  }
  auto* waiter = new Waiter;
  c.asleep.push_back(waiter);
  bool shared = used_outside(layout::condition_is_shared(condition),
                             "a condition variable shared with other processes");
  if (shared) {
    waiter->moments = runtime->run.execution.moments();
  }

  Operation sleep = operation(OpKind::kWake, condition, caller);
  sleep.waits_for = &kWoken;
  sleep.state = waiter;
  sleep.deadline = deadline;
  sleep.cancellable = true;
  sleep.external = shared;
  runtime->run.execution.perform(sleep);
  bool cancelled = was_cancelled(sleep);
  bool woken = was_woken(sleep);
  if (!waiter->woken) {
    std::erase(c.asleep, waiter);
  }
  come_after_waker(self, waiter);
  delete waiter;

  int error = 0;
  if (count > 1) {
    ++m.count;
  } else {
    Operation lock = operation(OpKind::kLock, mutex, caller);
    wait_for_mutex(lock, m);
    do {
      runtime->run.execution.perform(lock);
      error = acquire(m, lock.site);
    } while (error == EBUSY);
  }
  if (cancelled) {
    act_on_cancellation();  // cleanup handlers run with the mutex locked
  }
  return error != 0 ? error : woken ? 0 : ETIMEDOUT;
}

int wake_condition(OpKind op, const void* condition, const void* caller) {
  Operation o = operation(op, condition, caller);
  runtime->run.execution.perform(o);
  std::vector<Waiter*>& asleep = Conditions::instance().at(condition).asleep;
  if (!asleep.empty()) {
    runtime->run.execution.progress.made();
  }
  if (op == OpKind::kBroadcast) {
    std::for_each(asleep.begin(), asleep.end(), [](Waiter* w) { wake(*w); });
    asleep.clear();
  } else if (!asleep.empty()) {
    // Any waiter may be woken: POSIX promises no order.
    std::swap(asleep[runtime->run.choices.below(asleep.size())], asleep.back());
    wake(*asleep.back());
    asleep.pop_back();
  }
  if (layout::condition_is_shared(condition)) {
    auto* real_condition = static_cast<pthread_cond_t*>(const_cast<void*>(condition));
    return op == OpKind::kBroadcast ? RFF_REAL(pthread_cond_broadcast)(real_condition)
                                    : RFF_REAL(pthread_cond_signal)(real_condition);
  }
  return 0;
}

std::uint64_t condition_deadline(const void* condition, const timespec* until) {
  return virtual_deadline(
      layout::condition_is_monotonic(condition) ? CLOCK_MONOTONIC : CLOCK_REALTIME, until);
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_cond_init(pthread_cond_t* condition,
                                 const pthread_condattr_t* attributes) noexcept {
  if (controlled()) {
    forget_condition(condition);
  }
  return RFF_REAL(pthread_cond_init)(condition, attributes);
}

RFF_EXPORT int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  if (controlled()) {
    forget_condition(condition);
    return 0;
  }
  return RFF_REAL(pthread_cond_destroy)(condition);
}

RFF_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return controlled() ? wait_condition(condition, mutex, kNever, RFF_CALLER)
                      : RFF_REAL(pthread_cond_wait)(condition, mutex);
}

RFF_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                      const timespec* until) {
  if (!controlled()) {
    return RFF_REAL(pthread_cond_timedwait)(condition, mutex, until);
  }
  if (!valid_nanoseconds(until)) {
    return EINVAL;
  }
  return wait_condition(condition, mutex, condition_deadline(condition, until), RFF_CALLER);
}

RFF_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                      clockid_t clock, const timespec* until) {
  if (!controlled()) {
    return RFF_REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
  }
  if (!valid_nanoseconds(until) || !can_wait_on(clock)) {
    return EINVAL;
  }
  return wait_condition(condition, mutex, virtual_deadline(clock, until), RFF_CALLER);
}

RFF_EXPORT int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  return controlled() ? wake_condition(OpKind::kSignal, condition, RFF_CALLER)
                      : RFF_REAL(pthread_cond_signal)(condition);
}

RFF_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  return controlled() ? wake_condition(OpKind::kBroadcast, condition, RFF_CALLER)
                      : RFF_REAL(pthread_cond_broadcast)(condition);
}
