// Mutexes: normal, recursive, error-checking; try and timed forms.
#include "libsched/interpose/mutex.h"

#include <pthread.h>

#include <map>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

std::map<std::uint64_t, MutexState> mutexes;

bool mutex_free(const Operation& op) { return static_cast<MutexState*>(op.state)->owner == nullptr; }

Thread* mutex_holder(const Operation& op, CodeName* since) {
  auto* m = static_cast<MutexState*>(op.state);
  *since = m->since;
  return m->owner;
}

constexpr WaitRule kMutexFree = {mutex_free, mutex_holder, "a mutex"};

// The C library's layout: the kind is the fifth 32-bit field; its low two bits are the type.
int static_kind(const pthread_mutex_t* mutex) { return mutex->__data.__kind & 3; }

}  // namespace

MutexState& mutex_state(const void* mutex) {
  auto [it, fresh] = mutexes.try_emplace(reinterpret_cast<std::uint64_t>(mutex));
  if (fresh) {
    it->second.kind = static_kind(static_cast<const pthread_mutex_t*>(mutex));
  }
  return it->second;
}

void forget_mutex(const void* mutex) { mutexes.erase(reinterpret_cast<std::uint64_t>(mutex)); }

void wait_for_mutex(Operation& op, MutexState& m) {
  op.waits_for = &kMutexFree;
  op.state = &m;
}

void acquire(MutexState& m, CodeName site) {
  m.owner = &runtime->execution.current();
  m.count = 1;
  m.since = site;
}

int lock_mutex(const void* mutex, std::uint64_t deadline, const void* caller) {
  MutexState& m = mutex_state(mutex);
  Thread& self = runtime->execution.current();
  if (m.owner == &self) {
    if (m.kind == PTHREAD_MUTEX_RECURSIVE) {
      ++m.count;
      return 0;
    }
    if (m.kind == PTHREAD_MUTEX_ERRORCHECK) {
      return EDEADLK;
    }
  }
  Operation op = operation(OpKind::kLock, mutex, caller);
  op.deadline = deadline;
  wait_for_mutex(op, m);
  runtime->execution.perform(op);
  if (op.timed_out && m.owner != nullptr) {
    return ETIMEDOUT;
  }
  acquire(m, op.site);
  return 0;
}

int try_lock_mutex(const void* mutex, const void* caller) {
  MutexState& m = mutex_state(mutex);
  Thread& self = runtime->execution.current();
  if (m.owner == &self && m.kind == PTHREAD_MUTEX_RECURSIVE) {
    ++m.count;
    return 0;
  }
  Operation op = operation(OpKind::kLock, mutex, caller);
  op.tries = &kMutexFree;
  op.state = &m;
  runtime->execution.perform(op);
  if (op.failed) {
    return EBUSY;
  }
  acquire(m, op.site);
  return 0;
}

int unlock_mutex(const void* mutex, const void* caller) {
  MutexState& m = mutex_state(mutex);
  Thread& self = runtime->execution.current();
  if (m.owner != &self && m.kind != PTHREAD_MUTEX_NORMAL) {
    return EPERM;
  }
  if (m.owner == &self && m.count > 1) {
    --m.count;
    return 0;
  }
  Operation op = operation(OpKind::kUnlock, mutex, caller);
  runtime->execution.perform(op);
  m.owner = nullptr;
  m.count = 0;
  return 0;
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) noexcept {
  if (controlled()) {
    forget_mutex(mutex);
  }
  return RFF_REAL(pthread_mutex_init)(mutex, attributes);
}

RFF_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  if (controlled()) {
    if (mutex_state(mutex).owner != nullptr) {
      return EBUSY;
    }
    forget_mutex(mutex);
  }
  return RFF_REAL(pthread_mutex_destroy)(mutex);
}

RFF_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  return controlled() ? lock_mutex(mutex, kNever, RFF_CALLER) : RFF_REAL(pthread_mutex_lock)(mutex);
}

RFF_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return controlled() ? try_lock_mutex(mutex, RFF_CALLER) : RFF_REAL(pthread_mutex_trylock)(mutex);
}

RFF_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  return controlled() ? unlock_mutex(mutex, RFF_CALLER) : RFF_REAL(pthread_mutex_unlock)(mutex);
}

RFF_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  return controlled() ? lock_mutex(mutex, virtual_deadline(CLOCK_REALTIME, until), RFF_CALLER)
                      : RFF_REAL(pthread_mutex_timedlock)(mutex, until);
}

RFF_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) noexcept {
  return controlled() ? lock_mutex(mutex, virtual_deadline(clock, until), RFF_CALLER)
                      : RFF_REAL(pthread_mutex_clocklock)(mutex, clock, until);
}
