// The futex system call, for code that makes it itself: std::atomic::wait, C++20 semaphores,
// latches and barriers, and programs with their own primitives.
#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

struct FutexWaiter {
  std::uint64_t address;
  std::uint32_t mask;
  bool woken = false;
};

// Waiters not yet woken, by address, in order of arrival: the kernel wakes the longest waiting
// first.
using Sleepers = std::vector<FutexWaiter*>;
std::map<std::uint64_t, Sleepers>& sleepers() {
  static auto* by_address = new std::map<std::uint64_t, Sleepers>;
  return *by_address;
}

void forget_if_none(std::uint64_t address, const Sleepers& there) {
  if (there.empty()) {
    sleepers().erase(address);
  }
}

bool was_woken_by_futex(const Operation& op) { return static_cast<FutexWaiter*>(op.state)->woken; }
constexpr WaitRule kFutexWoken = {was_woken_by_futex, nullptr, WaitObject::kFutex, true};

bool word_at(std::uint64_t address, std::uint32_t* value) {
  std::uint64_t word = 0;
  if ((address & 3) != 0 || !probe_word(address & ~std::uint64_t{7}, &word)) {
    return false;
  }
  *value = static_cast<std::uint32_t>(word >> ((address & 4) * 8));
  return true;
}

struct Call {
  std::uint64_t address;
  int command;
  bool realtime;
  std::uint32_t value;
  const timespec* timeout;
  std::uint32_t value2;
  std::uint64_t address2;
  std::uint32_t value3;
  const void* caller;
};

long wait(const Call& c, std::uint32_t mask) {
  std::uint32_t now = 0;
  if ((c.address & 3) != 0 || mask == 0 ||
      (c.timeout != nullptr && (!valid_nanoseconds(c.timeout) || c.timeout->tv_sec < 0))) {
    return -EINVAL;
  }
  // The timeout is relative for FUTEX_WAIT, absolute for FUTEX_WAIT_BITSET.
  std::uint64_t deadline = kNever;
  if (c.timeout != nullptr) {
    deadline = c.command == FUTEX_WAIT
                   ? virtual_after(*c.timeout)
                   : virtual_deadline(c.realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, c.timeout);
  }
  Operation check = operation(OpKind::kFutexWait, reinterpret_cast<void*>(c.address), c.caller);
  check.size = 4;
  runtime->run.execution.perform(check);
  if (!word_at(c.address, &now)) {
    return -EFAULT;
  }
  if (now != c.value) {
    return -EAGAIN;
  }
  auto* waiter = new FutexWaiter{c.address, mask};
  sleepers()[c.address].push_back(waiter);
  Operation sleep = operation(OpKind::kWake, reinterpret_cast<void*>(c.address), c.caller);
  sleep.size = 4;
  sleep.waits_for = &kFutexWoken;
  sleep.state = waiter;
  sleep.deadline = deadline;
  sleep.on_signal = Interruption::kUnlessRestarted;
  runtime->run.execution.perform(sleep);
  bool woken = waiter->woken;
  if (!woken) {
    Sleepers& there = sleepers()[waiter->address];
    std::erase(there, waiter);
    forget_if_none(waiter->address, there);
  }
  delete waiter;
  if (sleep.interrupted && !woken) {
    return -EINTR;
  }
  return woken ? 0 : -ETIMEDOUT;
}

long wake_sleepers(std::uint64_t address, std::uint32_t most, std::uint32_t mask) {
  auto there = sleepers().find(address);
  if (there == sleepers().end()) {
    return 0;
  }
  long woken = 0;
  std::erase_if(there->second, [&](FutexWaiter* w) {
    if (woken == static_cast<long>(most) || (w->mask & mask) == 0) {
      return false;
    }
    w->woken = true;
    runtime->run.execution.changed(w);
    ++woken;
    return true;
  });
  forget_if_none(address, there->second);
  return woken;
}

void perform_wake(const Call& c) {
  Operation op = operation(OpKind::kFutexWake, reinterpret_cast<void*>(c.address), c.caller);
  op.size = 4;
  runtime->run.execution.perform(op);
}

// The kernel wakes one waiter even if asked for none.
std::uint32_t at_least_one(std::uint32_t n) { return n == 0 ? 1 : n; }

long requeue(const Call& c, bool compare) {
  perform_wake(c);
  std::uint32_t now = 0;
  if (compare && !word_at(c.address, &now)) {
    return -EFAULT;
  }
  if (compare && now != c.value3) {
    return -EAGAIN;
  }
  long affected = wake_sleepers(c.address, c.value, FUTEX_BITSET_MATCH_ANY);
  Sleepers& from = sleepers()[c.address];
  Sleepers& to = sleepers()[c.address2];
  auto moved = static_cast<std::ptrdiff_t>(std::min<std::size_t>(c.value2, from.size()));
  if (&from != &to) {
    for (FutexWaiter* w : std::span(from.begin(), from.begin() + moved)) {
      w->address = c.address2;
      to.push_back(w);
    }
    from.erase(from.begin(), from.begin() + moved);
    forget_if_none(c.address2, to);
  }
  forget_if_none(c.address, from);
  return affected + moved;
}

long wake_op(const Call& c) {
  perform_wake(c);
  std::uint32_t old = 0;
  if (!word_at(c.address2, &old)) {
    return -EFAULT;
  }
  Operation change =
      operation(OpKind::kReadModifyWrite, reinterpret_cast<void*>(c.address2), c.caller);
  change.size = 4;
  runtime->run.accesses.step(runtime->run.execution.current(), change);
  auto sign_extend = [](std::uint32_t v) { return static_cast<std::int32_t>(v << 20) >> 20; };
  std::int32_t argument = sign_extend((c.value3 >> 12) & 0xfff);
  if (((c.value3 >> 28) & FUTEX_OP_OPARG_SHIFT) != 0) {
    argument = static_cast<std::int32_t>(1u << (argument & 31));
  }
  auto operand = static_cast<std::uint32_t>(argument);
  auto* word = reinterpret_cast<std::uint32_t*>(c.address2);
  switch ((c.value3 >> 28) & 7) {
    case FUTEX_OP_SET: *word = operand; break;
    case FUTEX_OP_ADD: *word = old + operand; break;
    case FUTEX_OP_OR: *word = old | operand; break;
    case FUTEX_OP_ANDN: *word = old & ~operand; break;
    case FUTEX_OP_XOR: *word = old ^ operand; break;
    default: return -ENOSYS;
  }
  auto was = static_cast<std::int32_t>(old);
  std::int32_t bound = sign_extend(c.value3 & 0xfff);
  bool holds = false;
  switch ((c.value3 >> 24) & 15) {
    case FUTEX_OP_CMP_EQ: holds = was == bound; break;
    case FUTEX_OP_CMP_NE: holds = was != bound; break;
    case FUTEX_OP_CMP_LT: holds = was < bound; break;
    case FUTEX_OP_CMP_LE: holds = was <= bound; break;
    case FUTEX_OP_CMP_GT: holds = was > bound; break;
    case FUTEX_OP_CMP_GE: holds = was >= bound; break;
    default: return -ENOSYS;
  }
  long woken = wake_sleepers(c.address, at_least_one(c.value), FUTEX_BITSET_MATCH_ANY);
  return holds ? woken + wake_sleepers(c.address2, at_least_one(c.value2), FUTEX_BITSET_MATCH_ANY)
               : woken;
}

}  // namespace

long futex_call(const long (&a)[6], const void* caller) {
  auto operation_word = static_cast<int>(a[1]);
  Call c{static_cast<std::uint64_t>(a[0]),
         operation_word & FUTEX_CMD_MASK,
         (operation_word & FUTEX_CLOCK_REALTIME) != 0,
         static_cast<std::uint32_t>(a[2]),
         reinterpret_cast<const timespec*>(a[3]),
         static_cast<std::uint32_t>(a[3]),
         static_cast<std::uint64_t>(a[4]),
         static_cast<std::uint32_t>(a[5]),
         caller};
  switch (c.command) {
    case FUTEX_WAIT: return wait(c, FUTEX_BITSET_MATCH_ANY);
    case FUTEX_WAIT_BITSET: return wait(c, c.value3);
    case FUTEX_WAKE:
      perform_wake(c);
      return wake_sleepers(c.address, at_least_one(c.value), FUTEX_BITSET_MATCH_ANY);
    case FUTEX_WAKE_BITSET:
      if (c.value3 == 0) {
        return -EINVAL;
      }
      perform_wake(c);
      return wake_sleepers(c.address, at_least_one(c.value), c.value3);
    case FUTEX_REQUEUE: return requeue(c, false);
    case FUTEX_CMP_REQUEUE: return requeue(c, true);
    case FUTEX_WAKE_OP: return wake_op(c);
    default:
      runtime->process.unmodelled("futex with priority inheritance");
      return real::syscall6(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
}

}  // namespace rff
