#include "libsched/interpose/signals.h"

#include <pthread.h>
#include <unistd.h>

#include "libsched/findings/findings.h"
#include "libsched/interpose/identity.h"
#include "libsched/interpose/interpose.h"

namespace rff::signals {
namespace {

struct sigaction actions[NSIG];

bool has_handler(const struct sigaction& a) {
  return a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN;
}

}  // namespace

bool ours(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
         signal == SIGABRT || signal == SIGSYS;
}

bool program_handles(int signal) { return has_handler(actions[signal]); }

bool deliver(int signal, siginfo_t* info, void* context) {
  struct sigaction action = actions[signal];
  if (action.sa_handler == SIG_IGN && info->si_code <= 0) {
    return true;  // sent, not caused: it can be ignored
  }
  if (!has_handler(action)) {
    return false;
  }
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    actions[signal].sa_handler = SIG_DFL;
  }
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
  return true;
}

}  // namespace rff::signals

using namespace rff;

RFF_EXPORT int sigaction(int signal, const struct sigaction* action,
                         struct sigaction* old) noexcept {
  if (!controlled() || !signals::ours(signal)) {
    return RFF_REAL(sigaction)(signal, action, old);
  }
  struct sigaction before = signals::actions[signal];
  if (action != nullptr) {
    signals::actions[signal] = *action;
    findings::install_signal_handler(signal, signals::program_handles(signal) ? action : nullptr);
  }
  if (old != nullptr) {
    *old = before;
  }
  return 0;
}

RFF_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (!controlled() || !signals::ours(number)) {
    return RFF_REAL(signal)(number, handler);
  }
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, &old);
  return old.sa_handler;
}

// Signals between threads are not modelled: a handler would run in the middle of what another
// thread does.
RFF_EXPORT int pthread_kill(pthread_t handle, int number) noexcept {
  if (!controlled()) {
    return RFF_REAL(pthread_kill)(handle, number);
  }
  Thread* t = runtime->execution.find(handle);
  if (t == nullptr || t->state == ThreadState::kEnded) {
    return t == nullptr ? ESRCH : 0;
  }
  if (number == 0) {
    return 0;
  }
  if (t != &runtime->execution.current()) {
    runtime->unmodelled("pthread_kill");
    return runtime->execution.carrier().ends_threads_itself()
               ? kill(getpid(), number) == 0 ? 0 : errno
               : RFF_REAL(pthread_kill)(handle, number);
  }
  return raise(number) == 0 ? 0 : errno;
}

#define RFF_NAMED(name, result, parameters, arguments) \
  RFF_EXPORT result name parameters noexcept {         \
    if (controlled()) {                                \
      runtime->unmodelled(#name);                      \
    }                                                  \
    return RFF_REAL(name) arguments;                   \
  }

RFF_EXPORT int kill(pid_t pid, int number) noexcept {
  if (controlled() && number != 0 && pid == identity::kProcess) {
    runtime->unmodelled("kill");
  }
  return RFF_REAL(kill)(identity::real_process(pid), number);
}

RFF_NAMED(sigqueue, int, (pid_t pid, int number, const union sigval value),
          (identity::real_process(pid), number, value))
RFF_NAMED(pthread_sigqueue, int, (pthread_t handle, int number, const union sigval value),
          (handle, number, value))
RFF_NAMED(alarm, unsigned, (unsigned seconds), (seconds))
