// Functions that block, handle and await signals; see signals.h.
#include <pthread.h>
#include <setjmp.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/interpose/sync/early_threads.h"

namespace rff {
namespace {

using signals::contains;
using signals::Set;
using signals::to_set;

// As the kernel decides. Returns an error number, or 0.
int wrong_stack(const stack_t& s) {
  constexpr int kDisarm = static_cast<int>(1U << 31);  // SS_AUTODISARM
  int mode = s.ss_flags & ~kDisarm;
  if (mode != 0 && mode != SS_ONSTACK && mode != SS_DISABLE) {
    return EINVAL;
  }
  constexpr std::size_t kSmallest = 2048;  // MINSIGSTKSZ, which is no constant for programs
  return mode != SS_DISABLE && s.ss_size < kSmallest ? ENOMEM : 0;
}

sigset_t from_set(Set set) {
  sigset_t s = {};
  s.__val[0] = set;
  return s;
}

struct Awaited {
  const Thread* thread;
  Set set;
};
constexpr WaitRule kSignalPending = {[](const Operation& op) {
                                       auto* a = static_cast<Awaited*>(op.state);
                                       return (signals::pending(*a->thread) & a->set) != 0;
                                     },
                                     nullptr, WaitObject::kSignal};
constexpr WaitRule kSignalHandled = {[](const Operation&) { return false; }, nullptr,
                                     WaitObject::kSignal};

// A process outside could always send a signal: this wait is never a deadlock.
Operation waiting(const WaitRule& rule, void* state, const void* caller) {
  Operation op = operation(OpKind::kWake, reinterpret_cast<void*>(signals::object()), caller);
  op.place = signals::place();
  op.waits_for = &rule;
  op.state = state;
  op.external = true;
  op.cancellable = true;
  op.on_signal = Interruption::kAlways;
  return op;
}

// Returns the signal's number, or -1 with errno set.
int await(Set set, siginfo_t* info, std::uint64_t deadline, const void* caller) {
  cancellation_point();
  Thread& t = runtime->run.execution.current();
  Awaited awaited{&t, set};
  Operation op = waiting(kSignalPending, &awaited, caller);
  op.deadline = deadline;
  t.signals->awaited = set;
  runtime->run.execution.perform(op);
  t.signals->awaited = 0;
  siginfo_t taken = {};
  if (signals::accept(set, &taken)) {
    if (info != nullptr) {
      *info = taken;
    }
    return taken.si_signo;
  }
  cancellation_point();
  return failed(op.interrupted ? EINTR : EAGAIN);
}

// Waits until a handler has run.
int suspend(const void* caller) {
  cancellation_point();
  if (!signals::take(Interruption::kAlways)) {
    Operation op = waiting(kSignalHandled, nullptr, caller);
    runtime->run.execution.perform(op);
    if (!op.interrupted) {
      cancellation_point();
    }
  }
  return failed(EINTR);
}

int change_mask(int how, const sigset_t* change, sigset_t* old) {
  Set before = signals::mask();
  if (change != nullptr) {
    Set set = to_set(*change);
    switch (how) {
      case SIG_BLOCK: set |= before; break;
      case SIG_UNBLOCK: set = before & ~set; break;
      case SIG_SETMASK: break;
      default: return EINVAL;
    }
    signals::set_mask(set);
  }
  if (old != nullptr) {
    *old = from_set(before);
  }
  if (change != nullptr) {
    signals::take(Interruption::kNone);
  }
  return 0;
}

// The C library keeps the kernel's mask in a jump buffer; the program's mask is stored in the space
// behind it.
struct SavedMask {
  Set kernel;
  Set own;
  Set mark;
};
static_assert(sizeof(SavedMask) <= sizeof(sigset_t));
constexpr Set kMark = 0x6d61736b73656574;

void save_mask(sigjmp_buf buffer) {
  auto* saved = reinterpret_cast<SavedMask*>(&buffer->__saved_mask);
  saved->own = signals::mask();
  saved->mark = kMark;
}

void restore_mask(sigjmp_buf buffer) {
  auto* saved = reinterpret_cast<SavedMask*>(&buffer->__saved_mask);
  if (controlled() && buffer->__mask_was_saved != 0 && saved->mark == kMark) {
    signals::set_mask(saved->own);
    saved->kernel = signals::kernel_mask();
  }
}

// The kernel's layout of a signal action.
struct KernelAction {
  sighandler_t handler;
  unsigned long flags;
  void (*restorer)();
  Set mask;
};

}  // namespace

long signals::kernel_action(int signal, const void* given, void* before, std::size_t bytes) {
  if (bytes != sizeof(Set)) {
    return -EINVAL;
  }
  const auto* wanted = static_cast<const KernelAction*>(given);
  struct sigaction action = {};
  struct sigaction old = {};
  if (wanted != nullptr) {
    action.sa_handler = wanted->handler;
    action.sa_flags = static_cast<int>(wanted->flags);
    action.sa_mask = from_set(wanted->mask);
  }
  if (sigaction(signal, wanted != nullptr ? &action : nullptr, &old) != 0) {
    return -errno;
  }
  if (before != nullptr) {
    *static_cast<KernelAction*>(before) = {old.sa_handler, static_cast<unsigned long>(old.sa_flags),
                                           old.sa_restorer, to_set(old.sa_mask)};
  }
  return 0;
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int sigaction(int signal, const struct sigaction* action,
                         struct sigaction* old) noexcept {
  if (!controlled() || signal <= 0 || !signals::valid(signal) || signal == SIGKILL ||
      signal == SIGSTOP) {
    return RFF_REAL(sigaction)(signal, action, old);
  }
  struct sigaction before = signals::action(signal);
  if (action != nullptr) {
    signals::set_action(signal, *action);
  }
  if (old != nullptr) {
    *old = before;
  }
  return 0;
}

RFF_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

RFF_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  return controlled() ? change_mask(how, set, old) : RFF_REAL(pthread_sigmask)(how, set, old);
}

RFF_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  if (!controlled()) {
    return RFF_REAL(sigprocmask)(how, set, old);
  }
  int error = change_mask(how, set, old);
  return error == 0 ? 0 : failed(error);
}

RFF_EXPORT int sigpending(sigset_t* set) noexcept {
  int result = RFF_REAL(sigpending)(set);
  if (result == 0 && controlled()) {
    set->__val[0] |= signals::pending(runtime->run.execution.current()) & signals::mask();
  }
  return result;
}

RFF_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  return controlled() ? await(to_set(*set), info, kNever, RFF_CALLER)
                      : RFF_REAL(sigwaitinfo)(set, info);
}

RFF_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  if (!controlled()) {
    return RFF_REAL(sigtimedwait)(set, info, timeout);
  }
  if (timeout != nullptr && (!valid_nanoseconds(timeout) || timeout->tv_sec < 0)) {
    return failed(EINVAL);
  }
  return await(to_set(*set), info, timeout != nullptr ? virtual_after(*timeout) : kNever,
               RFF_CALLER);
}

RFF_EXPORT int sigwait(const sigset_t* set, int* number) {
  if (!controlled()) {
    return RFF_REAL(sigwait)(set, number);
  }
  do {
    *number = await(to_set(*set), nullptr, kNever, RFF_CALLER);
  } while (*number < 0);
  return 0;
}

RFF_EXPORT int sigsuspend(const sigset_t* set) {
  if (!controlled()) {
    return RFF_REAL(sigsuspend)(set);
  }
  Set before = signals::mask();
  signals::set_mask(to_set(*set));
  suspend(RFF_CALLER);
  signals::set_mask(before);
  return failed(EINTR);
}

// A handler may run before the wait begins, and does not end it then.
RFF_EXPORT int pause() {
  if (!controlled()) {
    return RFF_REAL(pause)();
  }
  if (watched()) {
    yield(RFF_CALLER);
  }
  return suspend(RFF_CALLER);
}

// The kernel hears nothing of it: handlers begin on the runtime's stack and go on on this one
// (report/signal_stacks.h). AddressSanitizer checks whether a new thread has a stack before it
// makes one; it finds one, and does nothing else before it calls the program.
RFF_EXPORT int sigaltstack(const stack_t* stack, stack_t* old) noexcept {
  if (stack == nullptr && old != nullptr && (arrive() || starts_in_sanitizer())) {
    *old = {};
    return 0;
  }
  if (!controlled()) {
    return RFF_REAL(sigaltstack)(stack, old);
  }
  stack_t& own = runtime->run.execution.current().signals->stack;
  stack_t before = own;
  bool in_use = contains(before, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)));
  before.ss_flags |= in_use ? SS_ONSTACK : 0;
  if (stack != nullptr) {
    if (int error = in_use ? EPERM : wrong_stack(*stack)) {
      return failed(error);
    }
    own = (stack->ss_flags & SS_DISABLE) != 0 ? stack_t{nullptr, SS_DISABLE, 0} : *stack;
    own.ss_flags &= ~SS_ONSTACK;
  }
  if (old != nullptr) {
    *old = before;
  }
  return 0;
}

RFF_EXPORT int signalfd(int fd, const sigset_t* set, int flags) noexcept {
  int result = RFF_REAL(signalfd)(fd, set, flags);
  if (!controlled() || result < 0) {
    return result;
  }
  signals::leave_to_kernel(to_set(*set));
  if (fd < 0) {
    Description& made = descriptions::made(result, RFF_CALLER);
    made.internal = true;
    made.in = &descriptions::new_channel(RFF_CALLER);
  }
  if (Description* d = descriptions::find(result)) {
    d->signals = to_set(*set);
  }
  return result;
}

// A jump out of a handler restores the mask.
#define RFF_JUMP(function)                                       \
  RFF_EXPORT void function(jmp_buf buffer, int value) noexcept { \
    restore_mask(buffer);                                        \
    RFF_REAL(function)(buffer, value);                           \
    __builtin_unreachable();                                     \
  }

extern "C" void __longjmp_chk(jmp_buf, int) noexcept __attribute__((noreturn));
RFF_JUMP(longjmp)
RFF_JUMP(_longjmp)
RFF_JUMP(siglongjmp)
RFF_JUMP(__longjmp_chk)

// Called by the function below. Returns the address of the C library's function.
extern "C" __attribute__((used)) void* rff_before_sigsetjmp(sigjmp_buf buffer, int save) {
  if (controlled() && save != 0) {
    save_mask(buffer);
  }
  static void* next = real::next("__sigsetjmp");
  return next;
}

// __sigsetjmp returns twice: the C library must remember the frame of the caller, so this is a
// jump.
asm(R"(
  .text
  .globl __sigsetjmp
  .type __sigsetjmp, @function
__sigsetjmp:
  .cfi_startproc
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  callq rff_before_sigsetjmp
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmpq *%rax
  .cfi_endproc
  .size __sigsetjmp, . - __sigsetjmp
)");
