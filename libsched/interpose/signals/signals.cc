#include "libsched/interpose/signals/signals.h"

#include <sys/syscall.h>
#include <ucontext.h>

#include <atomic>
#include <vector>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/identity.h"
#include "libsched/memory/kept_checks.h"
#include "libsched/report/faults.h"
#include "libsched/report/signal_stacks.h"
#include "libsched/report/watchdog.h"
#include "libsched/support/hook_stacks.h"

namespace rff::signals {
namespace {

struct sigaction actions[NSIG];
bool known[NSIG];  // true if `actions` holds it, otherwise the kernel does
std::vector<siginfo_t> for_process;
std::atomic<Set> from_outside{0};

constexpr int kFirstQueued = 34;  // first real-time signal; others are pending at most once

bool has_handler(const struct sigaction& a) {
  return a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN;
}

bool ignored_by_default(int signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

bool ignored(int signal) {
  sighandler_t handler = action(signal).sa_handler;
  return handler == SIG_IGN || (handler == SIG_DFL && ignored_by_default(signal));
}

bool stops(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

// Returns whether a real signal of this kind would end the process without a report.
bool ends_process(int signal) {
  return signal != SIGKILL && signal != kOfTheLibrary[0] && signal != kOfTheLibrary[1] &&
         !ours(signal) && !stops(signal) && !ignored_by_default(signal);
}

// Returns whether a call by the thread itself caused the signal; the kernel sends it to that
// thread.
bool caused_by_call(int signal, const siginfo_t& info) {
  return (signal == SIGPIPE || signal == SIGXFSZ) && info.si_pid == real::syscall6(SYS_getpid);
}

// No process would continue a run that stops itself: the run continues at once.
void stop_and_continue() {
  runtime->process.unmodelled("a signal that stops the program");
  if (has_handler(action(SIGCONT))) {
    siginfo_t info = {};
    info.si_signo = SIGCONT;
    info.si_code = SI_USER;
    send(nullptr, info);
  }
}

// Takes the default action for a signal that the process does not handle.
void by_default(int signal, bool sent) {
  if (stops(signal)) {
    stop_and_continue();
  } else {
    runtime->run.findings.ended_by_signal(signal, sent);
  }
}

bool sent_by_program(const siginfo_t& info) { return info.si_pid == identity::kProcess; }

void call(struct sigaction& a, int signal, siginfo_t* info, void* context) {
  if ((a.sa_flags & SA_SIGINFO) != 0) {
    a.sa_sigaction(signal, info, context);
  } else {
    a.sa_handler(signal);
  }
}

// Returns whether calls that the signal interrupted are restarted.
bool handle(Thread& t, siginfo_t info) {
  int signal = info.si_signo;
  struct sigaction a = action(signal);
  if (!has_handler(a)) {
    if (!ignored(signal)) {
      by_default(signal, sent_by_program(info));
    }
    return true;
  }
  if ((a.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    struct sigaction none = a;
    none.sa_handler = SIG_DFL;
    set_action(signal, none);
  }
  Set before = t.signals->mask;
  t.signals->mask |= to_set(a.sa_mask) | ((a.sa_flags & SA_NODEFER) != 0 ? 0 : bit(signal));
  ucontext_t context;
  getcontext(&context);
  SyncOrder& order = runtime->run.accesses.sharing.order;
  std::uint32_t interrupted = order.enter_handler(t);
  call(a, signal, &info, &context);
  runtime->run.accesses.program_returned(t);
  order.leave_handler(t, interrupted);
  t.signals->mask = before;
  return (a.sa_flags & SA_RESTART) != 0;
}

// Takes the signal with the lowest number, and the oldest of that number.
bool take_out(std::vector<siginfo_t>& from, Set set, siginfo_t* info) {
  auto best = from.end();
  for (auto it = from.begin(); it != from.end(); ++it) {
    if ((set & bit(it->si_signo)) != 0 && (best == from.end() || it->si_signo < best->si_signo)) {
      best = it;
    }
  }
  if (best == from.end()) {
    return false;
  }
  *info = *best;
  from.erase(best);
  return true;
}

Set all_of(const std::vector<siginfo_t>& queue) {
  Set set = 0;
  for (const siginfo_t& s : queue) {
    set |= bit(s.si_signo);
  }
  return set;
}

void put(std::vector<siginfo_t>& queue, const siginfo_t& info) {
  if (info.si_signo >= kFirstQueued || (all_of(queue) & bit(info.si_signo)) == 0) {
    queue.push_back(info);
  }
}

bool would_take(const Thread& t, int signal) { return (t.signals->mask & bit(signal)) == 0; }
bool awaits(const Thread& t, int signal) { return (t.signals->awaited & bit(signal)) != 0; }

// Returns the main thread if it can take the signal, as the kernel does, otherwise any thread that
// can; null if no thread is to be interrupted.
Thread* receiver(int signal) {
  std::vector<Thread*> able;
  for (Thread* t : runtime->run.execution.threads()) {
    if (t->state == ThreadState::kEnded || t->attendant) {
      continue;
    }
    if (t->index == 0 && would_take(*t, signal) && !awaits(*t, signal)) {
      return t;
    }
    if (awaits(*t, signal)) {
      return nullptr;  // the thread that waits for the signal takes it
    }
    if (would_take(*t, signal)) {
      able.push_back(t);
    }
  }
  return able.empty() ? nullptr : able[runtime->run.choices.below(able.size())];
}

// Handles a real signal without handler. Returns whether the program is to end later.
bool ends_later(int signal, const siginfo_t& info, const void* context) {
  if (!controlled() || runtime->process.serving() || !from_within(info)) {
    die(signal);
  }
  Thread& t = runtime->run.execution.current();
  if (caused_by_call(signal, info)) {
    if (would_take(t, signal)) {
      faults::end_program(signal, context);
    }
    put(t.signals->queue, info);
    return false;
  }
  if (faults::in_program(context)) {
    by_default(signal, false);
  }
  return true;
}

// May run at any instruction: only notes the signal, unless there is no other thread, no operation
// in progress and no hook entered.
__attribute__((force_align_arg_pointer)) void on_outside(int signal, siginfo_t* info,
                                                         void* context) {
  if (!has_handler(actions[signal]) && !ends_later(signal, *info, context)) {
    return;
  }
  if (!controlled()) {
    call(actions[signal], signal, info, context);
  } else if (watched() || runtime->run.execution.current().state != ThreadState::kRunning ||
             in_hook(faults::interrupted_in(context), faults::interrupted_at(context))) {
    from_outside.fetch_or(bit(signal));
    runtime->run.execution.note_signal();
    if (!watched()) {
      runtime->run.accesses.stop_soon(runtime->run.execution.current_memory());
    }
  } else {
    keeping_checks(runtime->process.modules.patched(),
                   [&] { handle(runtime->run.execution.current(), *info); });
  }
}

}  // namespace

bool ours(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
         signal == SIGABRT || signal == SIGSYS || signal == SIGTRAP;
}

bool program_handles(int signal) { return has_handler(action(signal)); }

struct sigaction action(int signal) {
  if (!known[signal]) {
    struct sigaction a = {};
    if (!ours(signal) && signal != watchdog::kSignal) {
      RFF_REAL(sigaction)(signal, nullptr, &a);
    }
    actions[signal] = a;
    known[signal] = true;
  }
  return actions[signal];
}

// Children of the program, and their children, are in the process group of the run.
bool from_within(const siginfo_t& info) {
  bool sent = info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
  if (!sent) {
    return info.si_signo != SIGINT && info.si_signo != SIGQUIT && info.si_signo != SIGHUP;
  }
  return info.si_pid == real::syscall6(SYS_getpid) ||
         real::syscall6(SYS_getpgid, info.si_pid) == real::syscall6(SYS_getpgid, 0);
}

void set_action(int signal, const struct sigaction& a) {
  actions[signal] = a;
  known[signal] = true;
  if (ours(signal)) {
    handles_fault(signal, has_handler(a));
    faults::install_handler(signal, has_handler(a) ? &a : nullptr);
    return;
  }
  if (signal == watchdog::kSignal) {
    watchdog::give_signal_up();
  }
  struct sigaction installed = a;
  if (has_handler(a)) {
    installed.sa_sigaction = on_outside;
    installed.sa_flags |= SA_SIGINFO;
    installed.sa_flags &= ~static_cast<int>(SA_RESETHAND);
  } else if (a.sa_handler == SIG_DFL && ends_process(signal)) {
    installed.sa_sigaction = on_outside;
    installed.sa_flags = SA_SIGINFO | SA_ONSTACK;
  }
  RFF_REAL(sigaction)(signal, &installed, nullptr);
}

bool contains(const stack_t& stack, std::uint64_t place) {
  auto low = reinterpret_cast<std::uint64_t>(stack.ss_sp);
  return (stack.ss_flags & SS_DISABLE) == 0 && place >= low && place < low + stack.ss_size;
}

bool deliver(int signal, siginfo_t* info, void* context) {
  struct sigaction a = action(signal);
  if (a.sa_handler == SIG_IGN && info->si_code <= 0) {
    return true;  // sent, not caused by an instruction: it can be ignored
  }
  if (!has_handler(a)) {
    return false;
  }
  if ((a.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    actions[signal].sa_handler = SIG_DFL;
  }
  auto handle_it = [&](siginfo_t* own_info, void* own_context) {
    keeping_checks(runtime->process.modules.patched(),
                   [&] { call(a, signal, own_info, own_context); });
  };
  const stack_t* stack = nullptr;
  if (controlled() && (a.sa_flags & SA_ONSTACK) != 0) {
    stack = &runtime->run.execution.current().signals->stack;
  }
  if (stack == nullptr || (stack->ss_flags & SS_DISABLE) != 0 ||
      contains(*stack, faults::interrupted_at(context))) {
    handle_it(info, context);
    return true;
  }
  signal_stacks::call_on(*stack, [&] {
    // What the handler gets lies on its stack, as the kernel puts it there.
    siginfo_t own_info = *info;
    ucontext_t own_context = *static_cast<ucontext_t*>(context);
    own_context.uc_stack = *stack;
    handle_it(&own_info, &own_context);
    own_context.uc_stack = static_cast<ucontext_t*>(context)->uc_stack;
    *static_cast<ucontext_t*>(context) = own_context;
  });
  return true;
}

void start() {
  real::syscall6(SYS_rt_sigprocmask, SIG_BLOCK, 0,
                 reinterpret_cast<long>(&runtime->run.execution.current().signals->mask),
                 sizeof(Set));
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signal != watchdog::kSignal && ends_process(signal) &&
        action(signal).sa_handler == SIG_DFL) {
      set_action(signal, {});
    }
  }
}

void in_child() {
  Set own = mask();
  for (int signal = 1; signal < NSIG; ++signal) {
    if (known[signal]) {
      RFF_REAL(sigaction)(signal, &actions[signal], nullptr);
    }
  }
  real::syscall6(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&own), 0, sizeof own);
  RFF_REAL(sigaltstack)(&runtime->run.execution.current().signals->stack, nullptr);
}

void send(Thread* to, const siginfo_t& info) {
  int signal = info.si_signo;
  if (signal == SIGKILL || signal == SIGSTOP) {
    by_default(signal, sent_by_program(info));
    return;
  }
  if (left_to_kernel(signal)) {
    give_to_kernel(info);
    runtime->run.execution.progress.made();
    return;
  }
  Thread* who = to != nullptr ? to : receiver(signal);
  bool disturbs = who != nullptr && would_take(*who, signal) && !awaits(*who, signal);
  if (disturbs && ignored(signal)) {
    return;
  }
  if (disturbs && action(signal).sa_handler == SIG_DFL && !stops(signal)) {
    by_default(signal, sent_by_program(info));
    return;
  }
  put(to != nullptr ? to->signals->queue : for_process, info);
  runtime->run.execution.progress.made();
  if (disturbs) {
    Operation taking;
    taking.op = OpKind::kWake;
    taking.address = object();
    taking.place = place();
    runtime->run.execution.interrupt(*who, taking);
  }
}

bool take(Interruption allowed) {
  Thread& t = runtime->run.execution.current();
  bool interrupted = false;
  siginfo_t info;
  while (take_out(t.signals->queue, ~t.signals->mask, &info) ||
         take_out(for_process, ~t.signals->mask, &info)) {
    bool handled = program_handles(info.si_signo);
    if (handled && runtime->process.shared != nullptr) {
      runtime->process.shared->run.flags |= kHandledSignal;
    }
    bool goes_on = handle(t, info);
    interrupted |= handled && (allowed == Interruption::kAlways ||
                               (allowed == Interruption::kUnlessRestarted && !goes_on));
  }
  return interrupted;
}

Set pending(const Thread& t) { return all_of(t.signals->queue) | all_of(for_process); }

bool accept(Set set, siginfo_t* info) {
  return take_out(runtime->run.execution.current().signals->queue, set, info) ||
         take_out(for_process, set, info);
}

std::uint64_t object() { return reinterpret_cast<std::uint64_t>(&for_process); }
Location place() { return {LocationKind::kThread, 0, 1}; }

void send_noted() {
  Set set = from_outside.exchange(0);
  touched_outside("a signal from outside");
  for (int signal = 1; signal < NSIG; ++signal) {
    if ((set & bit(signal)) != 0) {
      siginfo_t info = {};
      info.si_signo = signal;
      info.si_code = SI_USER;
      send(nullptr, info);
    }
  }
}

}  // namespace rff::signals
