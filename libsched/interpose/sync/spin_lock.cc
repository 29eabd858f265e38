// Spin locks. The scheduler treats a spinning thread as one that waits for the owner.
#include <pthread.h>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/sync/child_locks.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

struct SpinLockState {
  Thread* owner = nullptr;
  CodeName since;
  bool shared = false;  // with other processes, whose use of it is not seen
};

using SpinLocks = Objects<SpinLockState>;

SpinLockState& spin_lock(volatile int* lock) {
  return SpinLocks::instance().at(const_cast<int*>(lock));
}

bool spin_free(const Operation& op) {
  return static_cast<SpinLockState*>(op.state)->owner == nullptr;
}

Thread* spin_holder(const Operation& op, CodeName* since) {
  auto* s = static_cast<SpinLockState*>(op.state);
  *since = s->since;
  return s->owner;
}

void set_owner(SpinLockState& s, Thread* owner) {
  SyncOrder& order = runtime->run.accesses.sharing.order;
  if (owner != nullptr) {
    order.locked(*owner, &s, true);
  } else if (s.owner != nullptr) {
    order.unlocked(*s.owner, &s);
  }
  s.owner = owner;
  runtime->run.execution.changed(&s);
}

constexpr WaitRule kSpinFree = {spin_free, spin_holder, WaitObject::kSpinLock, true};

int take(volatile int* lock, bool wait, const void* caller) {
  SpinLockState& s = spin_lock(lock);
  Operation op = operation(OpKind::kLock, const_cast<int*>(lock), caller);
  op.state = &s;
  op.external = used_outside(s.shared, "a spin lock shared with other processes");
  (wait ? op.waits_for : op.tries) = &kSpinFree;
  runtime->run.execution.perform(op);
  if (op.failed) {
    return EBUSY;
  }
  set_owner(s, &runtime->run.execution.current());
  s.since = op.site;
  return 0;
}

}  // namespace

void hold_spin_locks_in_child() {
  SpinLocks::instance().for_each_at([](std::uint64_t address, const SpinLockState& s) {
    std::uint64_t word = word_of(address);
    if (s.owner != nullptr && !s.shared && probe_word(word, &word)) {
      RFF_REAL(pthread_spin_trylock)(reinterpret_cast<pthread_spinlock_t*>(address));
    }
  });
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_spin_init(pthread_spinlock_t* lock, int shared) noexcept {
  if (controlled()) {
    SpinLocks::instance().forget(const_cast<int*>(lock));
    spin_lock(lock).shared = shared == PTHREAD_PROCESS_SHARED;
  }
  return RFF_REAL(pthread_spin_init)(lock, shared);
}

RFF_EXPORT int pthread_spin_destroy(pthread_spinlock_t* lock) noexcept {
  if (controlled()) {
    SpinLocks::instance().forget(const_cast<int*>(lock));
  }
  return RFF_REAL(pthread_spin_destroy)(lock);
}

RFF_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  return controlled() ? take(lock, true, RFF_CALLER) : RFF_REAL(pthread_spin_lock)(lock);
}

RFF_EXPORT int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  return controlled() ? take(lock, false, RFF_CALLER) : RFF_REAL(pthread_spin_trylock)(lock);
}

RFF_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  if (!controlled()) {
    return RFF_REAL(pthread_spin_unlock)(lock);
  }
  Operation op = operation(OpKind::kUnlock, const_cast<int*>(lock), RFF_CALLER);
  runtime->run.execution.perform(op);
  set_owner(spin_lock(lock), nullptr);
  return 0;
}
