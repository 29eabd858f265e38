// Semaphores, unnamed and named.
//
// The runtime keeps the count, so that a run neither reads nor changes memory that other runs
// share. Only a semaphore that other processes may post (a shared one, or a named one that already
// existed) is counted in its own memory, and waiting for it is an external wait.
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>

#include <climits>

#include "libsched/interpose/files/file_turns.h"
#include "libsched/interpose/interpose.h"
#include "libsched/libc/lock_layouts.h"

namespace rff {
namespace {

struct SemaphoreState {
  bool known = false;
  bool outside = false;
  std::uint32_t own = 0;
  std::uint32_t* count = &own;
};

using Semaphores = Objects<SemaphoreState>;

SemaphoreState& semaphore_state(sem_t* semaphore) {
  SemaphoreState& s = Semaphores::instance().at(semaphore);
  if (!s.known) {
    s.known = true;
    s.own = *layout::semaphore_value(semaphore);
  }
  return s;
}

void count_in_memory(sem_t* semaphore) {
  SemaphoreState& s = semaphore_state(semaphore);
  s.outside = true;
  s.count = layout::semaphore_value(semaphore);
}

bool positive(const Operation& op) { return *static_cast<SemaphoreState*>(op.state)->count > 0; }
constexpr WaitRule kPositive = {positive, nullptr, WaitObject::kSemaphore, true};

// Returns false if another process was faster.
bool take_one(SemaphoreState& s) {
  std::uint32_t n = __atomic_load_n(s.count, __ATOMIC_SEQ_CST);
  while (n > 0 && !__atomic_compare_exchange_n(s.count, &n, n - 1, false, __ATOMIC_SEQ_CST,
                                               __ATOMIC_SEQ_CST)) {
  }
  runtime->run.execution.changed(&s);
  if (n > 0) {
    runtime->run.accesses.sharing.order.waited(runtime->run.execution.current(), &s, n);
  }
  return n > 0;
}

int wait(sem_t* semaphore, std::uint64_t deadline, const void* caller) {
  cancellation_point();
  SemaphoreState& s = semaphore_state(semaphore);
  Operation op = operation(OpKind::kSemaphoreWait, semaphore, caller);
  op.waits_for = &kPositive;
  op.state = &s;
  op.deadline = deadline;
  op.cancellable = true;
  op.external = s.outside;
  op.on_signal = Interruption::kUnlessRestarted;
  for (;;) {
    runtime->run.execution.perform(op);
    if (was_cancelled(op)) {
      act_on_cancellation();
    }
    if (op.interrupted) {
      return failed(EINTR);
    }
    if (take_one(s)) {
      return 0;
    }
    if (op.timed_out) {
      return failed(ETIMEDOUT);
    }
  }
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  int result = RFF_REAL(sem_init)(semaphore, shared, value);
  if (result == 0 && controlled()) {
    Semaphores::instance().forget(semaphore);
    semaphore_state(semaphore);
    if (shared != 0) {
      count_in_memory(semaphore);
    }
  }
  return result;
}

RFF_EXPORT int sem_destroy(sem_t* semaphore) noexcept {
  if (controlled()) {
    Semaphores::instance().forget(semaphore);
  }
  return RFF_REAL(sem_destroy)(semaphore);
}

RFF_EXPORT int sem_unlink(const char* name) noexcept {
  will_change();
  return RFF_REAL(sem_unlink)(name);
}

RFF_EXPORT sem_t* sem_open(const char* name, int flags, ...) noexcept {
  mode_t mode = 0;
  unsigned value = 0;
  if ((flags & O_CREAT) != 0) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    value = va_arg(rest, unsigned);
    va_end(rest);
  }
  auto open = RFF_REAL(sem_open);
  if (!controlled()) {
    return open(name, flags, mode, value);
  }
  will_change();
  bool made = false;
  sem_t* semaphore = SEM_FAILED;
  if ((flags & O_CREAT) != 0) {
    semaphore = open(name, flags | O_EXCL, mode, value);
    made = semaphore != SEM_FAILED;
  }
  if (!made && (flags & O_EXCL) == 0) {
    semaphore = open(name, flags, mode, value);
  }
  // A semaphore that is opened again in this process has the same address.
  if (semaphore != SEM_FAILED) {
    bool seen = Semaphores::instance().find(semaphore) != nullptr;
    if (made && !seen) {
      semaphore_state(semaphore);
    } else if (!seen) {
      count_in_memory(semaphore);
      runtime->process.unmodelled("sem_open of an existing semaphore");
    }
  }
  return semaphore;
}

RFF_EXPORT int sem_wait(sem_t* semaphore) {
  return controlled() ? wait(semaphore, kNever, RFF_CALLER) : RFF_REAL(sem_wait)(semaphore);
}

RFF_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  if (!controlled()) {
    return RFF_REAL(sem_timedwait)(semaphore, until);
  }
  return valid_nanoseconds(until)
             ? wait(semaphore, virtual_deadline(CLOCK_REALTIME, until), RFF_CALLER)
             : failed(EINVAL);
}

RFF_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  if (!controlled()) {
    return RFF_REAL(sem_clockwait)(semaphore, clock, until);
  }
  return can_wait_on(clock) && valid_nanoseconds(until)
             ? wait(semaphore, virtual_deadline(clock, until), RFF_CALLER)
             : failed(EINVAL);
}

RFF_EXPORT int sem_trywait(sem_t* semaphore) noexcept {
  if (!controlled()) {
    return RFF_REAL(sem_trywait)(semaphore);
  }
  SemaphoreState& s = semaphore_state(semaphore);
  Operation op = operation(OpKind::kSemaphoreWait, semaphore, RFF_CALLER);
  op.tries = &kPositive;
  op.state = &s;
  runtime->run.execution.perform(op);
  return !op.failed && take_one(s) ? 0 : failed(EAGAIN);
}

RFF_EXPORT int sem_post(sem_t* semaphore) noexcept {
  if (!controlled()) {
    return RFF_REAL(sem_post)(semaphore);
  }
  SemaphoreState& s = semaphore_state(semaphore);
  Operation op = operation(OpKind::kSemaphorePost, semaphore, RFF_CALLER);
  runtime->run.execution.perform(op);
  if (s.outside) {
    return RFF_REAL(sem_post)(semaphore);  // also wakes other processes
  }
  if (*s.count == SEM_VALUE_MAX) {
    return failed(EOVERFLOW);
  }
  runtime->run.accesses.sharing.order.posted(runtime->run.execution.current(), &s);
  ++*s.count;
  runtime->run.execution.changed(&s);
  return 0;
}

RFF_EXPORT int sem_getvalue(sem_t* semaphore, int* value) noexcept {
  if (!controlled()) {
    return RFF_REAL(sem_getvalue)(semaphore, value);
  }
  SemaphoreState& s = semaphore_state(semaphore);
  if (watched()) {
    Operation op = operation(OpKind::kWake, semaphore, RFF_CALLER);
    runtime->run.execution.perform(op);
  }
  *value = static_cast<int>(*s.count);
  return 0;
}
