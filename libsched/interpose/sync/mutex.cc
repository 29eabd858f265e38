// Mutexes: normal, recursive, error-checking and robust ones; lock with its try and timed forms.
#include "libsched/interpose/sync/mutex.h"

#include <pthread.h>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/sync/child_locks.h"
#include "libsched/libc/lock_layouts.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

using Mutexes = Objects<MutexState>;

// While a thread holds a mutex, the owner field in the mutex's own memory has this value; if it has
// another one, the program has initialized the memory again. The C library uses the field only to
// find its own thread ids there.
constexpr int kHeld = layout::kNoKernelThread;

int& mark(const void* mutex) { return layout::mutex_owner(mutex); }

pthread_mutex_t* real_mutex(const MutexState& m) {
  return static_cast<pthread_mutex_t*>(const_cast<void*>(m.address));
}

// A robust mutex whose owner has ended can be locked.
bool is_free(const MutexState& m) {
  if (m.shared && m.owner == nullptr) {
    return layout::mutex_is_free(m.address);
  }
  return m.owner == nullptr || (m.robust && m.owner->state == ThreadState::kEnded);
}

bool mutex_free(const Operation& op) { return is_free(*static_cast<MutexState*>(op.state)); }

Thread* mutex_holder(const Operation& op, CodeName* since) {
  auto* m = static_cast<MutexState*>(op.state);
  *since = m->since;
  return m->owner;
}

constexpr WaitRule kMutexFree = {mutex_free, mutex_holder, WaitObject::kMutex, true};
// Nobody announces that the end of its owner has made it free.
constexpr WaitRule kRobustMutexFree = {mutex_free, mutex_holder, WaitObject::kMutex};

}  // namespace

// Reads the memory each time: a statically initialized mutex may be where another one was.
int mutex_kind(const void* mutex) {
  int type = layout::mutex_type(mutex);
  return type == PTHREAD_MUTEX_ADAPTIVE_NP ? PTHREAD_MUTEX_NORMAL : type;
}

MutexState& mutex_state(const void* mutex) {
  MutexState* known = Mutexes::instance().find(mutex);
  if (known != nullptr && known->owner != nullptr && !known->shared && mark(mutex) != kHeld) {
    forget_mutex(mutex);
  }
  MutexState& m = Mutexes::instance().at(mutex);
  m.address = mutex;
  m.robust = layout::mutex_is_robust(mutex);
  m.shared = layout::mutex_is_shared(mutex) && !m.robust;
  return m;
}

void forget_mutex(const void* mutex) { Mutexes::instance().forget(mutex); }

void hold_mutexes_in_child() {
  Mutexes::instance().for_each([](const MutexState& m) {
    std::uint64_t word = word_of(reinterpret_cast<std::uint64_t>(&mark(m.address)));
    bool readable = probe_word(word, &word);
    if (readable && m.owner != nullptr && !m.shared && !m.robust && mark(m.address) == kHeld) {
      RFF_REAL(pthread_mutex_trylock)(real_mutex(m));
      mark(m.address) = kHeld;
    }
  });
}

void wait_for_mutex(Operation& op, MutexState& m) {
  op.waits_for = m.robust ? &kRobustMutexFree : &kMutexFree;
  op.state = &m;
  op.external =
      used_outside(m.shared || m.robust, m.robust ? "a robust mutex shared with other processes"
                                                  : "a mutex shared with other processes");
}

int acquire(MutexState& m, CodeName site) {
  if (m.unrecoverable) {
    return ENOTRECOVERABLE;
  }
  if (m.shared && RFF_REAL(pthread_mutex_trylock)(real_mutex(m)) != 0) {
    return EBUSY;  // another process was faster
  }
  m.owner_died |= !m.shared && m.owner != nullptr;
  m.owner = &runtime->run.execution.current();
  runtime->run.accesses.sharing.order.locked(*m.owner, &m, true);
  m.count = 1;
  m.since = site;
  runtime->run.execution.changed(&m);
  if (!m.shared) {
    mark(m.address) = kHeld;
  }
  return m.owner_died ? EOWNERDEAD : 0;
}

void release(MutexState& m) {
  if (m.owner != nullptr) {
    runtime->run.accesses.sharing.order.unlocked(*m.owner, &m);
  }
  m.owner = nullptr;
  m.count = 0;
  runtime->run.execution.changed(&m);
  if (m.shared) {
    RFF_REAL(pthread_mutex_unlock)(real_mutex(m));
  } else {
    mark(m.address) = 0;
  }
}

int lock_mutex(const void* mutex, int clock, const timespec* until, const void* caller) {
  MutexState& m = mutex_state(mutex);
  Thread& self = runtime->run.execution.current();
  if (m.owner == &self) {
    if (mutex_kind(mutex) == PTHREAD_MUTEX_RECURSIVE) {
      ++m.count;
      return 0;
    }
    if (mutex_kind(mutex) == PTHREAD_MUTEX_ERRORCHECK) {
      return EDEADLK;
    }
  }
  Operation op = operation(OpKind::kLock, mutex, caller);
  op.state = &m;
  bool bad_time = until != nullptr && !valid_nanoseconds(until);
  if (bad_time) {
    op.tries = &kMutexFree;
  } else {
    wait_for_mutex(op, m);
    op.deadline = until != nullptr ? virtual_deadline(clock, until) : kNever;
  }
  int error = EBUSY;
  while (error == EBUSY) {
    runtime->run.execution.perform(op);
    if ((op.timed_out || op.failed) && !is_free(m)) {
      return bad_time ? EINVAL : ETIMEDOUT;
    }
    error = acquire(m, op.site);
  }
  return error;
}

int try_lock_mutex(const void* mutex, const void* caller) {
  MutexState& m = mutex_state(mutex);
  Thread& self = runtime->run.execution.current();
  if (m.owner == &self && mutex_kind(mutex) == PTHREAD_MUTEX_RECURSIVE) {
    ++m.count;
    return 0;
  }
  Operation op = operation(OpKind::kLock, mutex, caller);
  op.tries = &kMutexFree;
  op.state = &m;
  runtime->run.execution.perform(op);
  return op.failed ? EBUSY : acquire(m, op.site);
}

int unlock_mutex(const void* mutex, const void* caller) {
  MutexState& m = mutex_state(mutex);
  Thread& self = runtime->run.execution.current();
  if (m.owner != &self && (mutex_kind(mutex) != PTHREAD_MUTEX_NORMAL || m.robust)) {
    return EPERM;
  }
  if (m.owner == &self && m.count > 1) {
    --m.count;
    return 0;
  }
  Operation op = operation(OpKind::kUnlock, mutex, caller);
  runtime->run.execution.perform(op);
  release(m);
  m.unrecoverable |= m.owner_died;
  return 0;
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex,
                                  const pthread_mutexattr_t* attributes) noexcept {
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
  return controlled() ? lock_mutex(mutex, 0, nullptr, RFF_CALLER)
                      : RFF_REAL(pthread_mutex_lock)(mutex);
}

RFF_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return controlled() ? try_lock_mutex(mutex, RFF_CALLER) : RFF_REAL(pthread_mutex_trylock)(mutex);
}

RFF_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  return controlled() ? unlock_mutex(mutex, RFF_CALLER) : RFF_REAL(pthread_mutex_unlock)(mutex);
}

RFF_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  return controlled() ? lock_mutex(mutex, CLOCK_REALTIME, until, RFF_CALLER)
                      : RFF_REAL(pthread_mutex_timedlock)(mutex, until);
}

RFF_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                       const timespec* until) noexcept {
  if (!controlled()) {
    return RFF_REAL(pthread_mutex_clocklock)(mutex, clock, until);
  }
  return can_wait_on(clock) ? lock_mutex(mutex, clock, until, RFF_CALLER) : EINVAL;
}

RFF_EXPORT int pthread_mutex_consistent(pthread_mutex_t* mutex) noexcept {
  if (!controlled()) {
    return RFF_REAL(pthread_mutex_consistent)(mutex);
  }
  MutexState& m = mutex_state(mutex);
  if (!m.robust || !m.owner_died || m.owner != &runtime->run.execution.current()) {
    return EINVAL;
  }
  m.owner_died = false;
  return 0;
}
