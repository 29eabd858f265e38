// Read-write locks: try, timed and clock forms; preference for readers or for writers.
#include <pthread.h>

#include <algorithm>
#include <vector>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/sync/child_locks.h"
#include "libsched/libc/lock_layouts.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

struct Holder {
  Thread* thread;
  CodeName since;
};

struct RwlockState {
  Holder writer{nullptr, {}};
  std::vector<Holder> readers;  // one entry per acquisition
  std::uint32_t waiting_writers = 0;
  bool writers_first = false;
  bool shared = false;  // with other processes, whose use of it is not seen
};

using Rwlocks = Objects<RwlockState>;

// Sets a field in the lock's memory that has no other use; it is nonzero while the lock is held. If
// it is zero then, the program has initialized the memory again.
void mark(pthread_rwlock_t* lock, const RwlockState& s) {
  layout::rwlock_unused(lock) = s.writer.thread != nullptr || !s.readers.empty();
}

RwlockState& rwlock_state(const pthread_rwlock_t* lock) {
  RwlockState* known = Rwlocks::instance().find(lock);
  if (known != nullptr && (known->writer.thread != nullptr || !known->readers.empty()) &&
      layout::rwlock_unused(lock) == 0) {
    Rwlocks::instance().forget(lock);
  }
  RwlockState& s = Rwlocks::instance().at(lock);
  s.shared = layout::rwlock_is_shared(lock);
  s.writers_first = layout::rwlock_prefers_writers(lock);
  return s;
}

bool can_read(const Operation& op) {
  auto* s = static_cast<RwlockState*>(op.state);
  return s->writer.thread == nullptr && !(s->writers_first && s->waiting_writers > 0);
}

bool can_write(const Operation& op) {
  auto* s = static_cast<RwlockState*>(op.state);
  return s->writer.thread == nullptr && s->readers.empty();
}

Thread* holder(const Operation& op, CodeName* since) {
  auto* s = static_cast<RwlockState*>(op.state);
  const Holder* h = s->writer.thread != nullptr ? &s->writer
                    : s->readers.empty()        ? nullptr
                                                : &s->readers.front();
  if (h == nullptr) {
    return nullptr;
  }
  *since = h->since;
  return h->thread;
}

constexpr WaitRule kCanRead = {can_read, holder, WaitObject::kReadWriteLockToRead, true};
constexpr WaitRule kCanWrite = {can_write, holder, WaitObject::kReadWriteLockToWrite, true};

enum class Mode { kRead, kWrite };

int take(pthread_rwlock_t* lock, Mode mode, bool wait, std::uint64_t deadline, const void* caller) {
  RwlockState& s = rwlock_state(lock);
  Thread& self = runtime->run.execution.current();
  if (wait && s.writer.thread == &self) {
    return EDEADLK;
  }
  bool reads = mode == Mode::kRead;
  Operation op = operation(reads ? OpKind::kReadLock : OpKind::kLock, lock, caller);
  const WaitRule& rule = reads ? kCanRead : kCanWrite;
  op.state = &s;
  op.deadline = deadline;
  op.external = used_outside(s.shared, "a read-write lock shared with other processes");
  (wait ? op.waits_for : op.tries) = &rule;
  if (wait && !reads) {
    ++s.waiting_writers;
    runtime->run.execution.changed(&s);
  }
  runtime->run.execution.perform(op);
  if (wait && !reads) {
    --s.waiting_writers;
  }
  runtime->run.execution.changed(&s);  // also needed if the thread takes the lock now
  if (op.failed) {
    return EBUSY;
  }
  if (wait && !rule.enabled(op)) {
    return ETIMEDOUT;
  }
  runtime->run.accesses.sharing.order.locked(self, &s, !reads);
  if (reads) {
    s.readers.push_back({&self, op.site});
  } else {
    s.writer = {&self, op.site};
  }
  mark(lock, s);
  return 0;
}

int timed(pthread_rwlock_t* lock, Mode mode, clockid_t clock, const timespec* until,
          const void* caller) {
  if (!can_wait_on(clock) || !valid_nanoseconds(until)) {
    return EINVAL;
  }
  return take(lock, mode, true, virtual_deadline(clock, until), caller);
}

int release(pthread_rwlock_t* lock, const void* caller) {
  RwlockState& s = rwlock_state(lock);
  bool writer = s.writer.thread != nullptr;
  Operation op = operation(writer ? OpKind::kUnlock : OpKind::kReadUnlock, lock, caller);
  runtime->run.execution.perform(op);
  SyncOrder& order = runtime->run.accesses.sharing.order;
  if (s.writer.thread != nullptr) {
    order.unlocked(*s.writer.thread, &s);
    s.writer = {nullptr, {}};
  } else if (!s.readers.empty()) {
    Thread& self = runtime->run.execution.current();
    auto mine = std::find_if(s.readers.begin(), s.readers.end(),
                             [&](const Holder& h) { return h.thread == &self; });
    mine = mine != s.readers.end() ? mine : s.readers.begin();
    order.unlocked(*mine->thread, &s);
    s.readers.erase(mine);
  }
  runtime->run.execution.changed(&s);
  mark(lock, s);
  return 0;
}

}  // namespace

void hold_rwlocks_in_child() {
  Rwlocks::instance().for_each_at([](std::uint64_t address, const RwlockState& s) {
    auto* lock = reinterpret_cast<pthread_rwlock_t*>(address);
    std::uint64_t word = word_of(address);
    if (!probe_word(word, &word) || s.shared || layout::rwlock_unused(lock) == 0) {
      return;
    }
    if (s.writer.thread != nullptr) {
      RFF_REAL(pthread_rwlock_trywrlock)(lock);
      layout::rwlock_writer(lock) = layout::kNoKernelThread;
    }
    for (std::size_t i = 0; i < s.readers.size(); ++i) {
      RFF_REAL(pthread_rwlock_tryrdlock)(lock);
    }
  });
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_rwlock_init(pthread_rwlock_t* lock,
                                   const pthread_rwlockattr_t* attributes) noexcept {
  if (controlled()) {
    Rwlocks::instance().forget(lock);
  }
  return RFF_REAL(pthread_rwlock_init)(lock, attributes);
}

RFF_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  if (controlled()) {
    Rwlocks::instance().forget(lock);
  }
  return RFF_REAL(pthread_rwlock_destroy)(lock);
}

RFF_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  return controlled() ? take(lock, Mode::kRead, true, kNever, RFF_CALLER)
                      : RFF_REAL(pthread_rwlock_rdlock)(lock);
}

RFF_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return controlled() ? take(lock, Mode::kWrite, true, kNever, RFF_CALLER)
                      : RFF_REAL(pthread_rwlock_wrlock)(lock);
}

RFF_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  return controlled() ? take(lock, Mode::kRead, false, kNever, RFF_CALLER)
                      : RFF_REAL(pthread_rwlock_tryrdlock)(lock);
}

RFF_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  return controlled() ? take(lock, Mode::kWrite, false, kNever, RFF_CALLER)
                      : RFF_REAL(pthread_rwlock_trywrlock)(lock);
}

RFF_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  return controlled() ? timed(lock, Mode::kRead, CLOCK_REALTIME, until, RFF_CALLER)
                      : RFF_REAL(pthread_rwlock_timedrdlock)(lock, until);
}

RFF_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  return controlled() ? timed(lock, Mode::kWrite, CLOCK_REALTIME, until, RFF_CALLER)
                      : RFF_REAL(pthread_rwlock_timedwrlock)(lock, until);
}

RFF_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                          const timespec* until) noexcept {
  return controlled() ? timed(lock, Mode::kRead, clock, until, RFF_CALLER)
                      : RFF_REAL(pthread_rwlock_clockrdlock)(lock, clock, until);
}

RFF_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                          const timespec* until) noexcept {
  return controlled() ? timed(lock, Mode::kWrite, clock, until, RFF_CALLER)
                      : RFF_REAL(pthread_rwlock_clockwrlock)(lock, clock, until);
}

RFF_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  return controlled() ? release(lock, RFF_CALLER) : RFF_REAL(pthread_rwlock_unlock)(lock);
}
