// Which signals threads block, and which the kernel holds back for them; see signals.h.
#include <sys/syscall.h>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/identity.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/report/watchdog.h"

namespace rff::signals {
namespace {

Set for_kernel = 0;

Set blocked_by_all() {
  Set set = ~Set{0};
  for (const Thread* t : runtime->run.execution.threads()) {
    set &= t->state == ThreadState::kEnded || t->attendant ? ~Set{0} : t->signals->mask;
  }
  return set;
}

}  // namespace

Set mask() { return runtime->run.execution.current().signals->mask; }

Set kernel_mask() {
  Set set = mask();
  if (runtime->process.carrier().ends_threads_itself()) {
    for (const Thread* t : runtime->run.execution.threads()) {
      set &= t->state == ThreadState::kEnded ? ~Set{0} : t->signals->mask;
    }
  }
  for (int signal = 1; signal < NSIG; ++signal) {
    set &= ours(signal) || signal == watchdog::kSignal ? ~bit(signal) : ~Set{0};
  }
  return set;
}

void set_mask(Set wanted) {
  for (int signal : {SIGKILL, SIGSTOP, kOfTheLibrary[0], kOfTheLibrary[1]}) {
    wanted &= ~bit(signal);
  }
  runtime->run.execution.current().signals->mask = wanted;
  Set kernel = kernel_mask();
  real::syscall6(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&kernel), 0,
                 sizeof kernel);
}

void leave_to_kernel(Set set) {
  for_kernel |= set;
  siginfo_t pending = {};
  while (accept(set & blocked_by_all(), &pending)) {
    send(nullptr, pending);
  }
}

bool left_to_kernel(int signal) { return (for_kernel & blocked_by_all() & bit(signal)) != 0; }

// The kernel lets only the main thread say what it likes about itself.
void give_to_kernel(const siginfo_t& info) {
  long self = real::syscall6(SYS_getpid);
  if (real::syscall6(SYS_rt_sigqueueinfo, self, info.si_signo, reinterpret_cast<long>(&info)) < 0) {
    real::syscall6(SYS_kill, self, info.si_signo);
  }
}

void rename_process(signalfd_siginfo* read, std::size_t count) {
  auto self = static_cast<std::uint32_t>(real::syscall6(SYS_getpid));
  for (std::size_t i = 0; i < count; ++i) {
    read[i].ssi_pid = read[i].ssi_pid == self ? identity::kProcess : read[i].ssi_pid;
  }
}

void look_outside() {
  Set blocked = mask() & ~for_kernel;
  timespec now = {0, 0};
  siginfo_t info = {};
  while (real::syscall6(SYS_rt_sigtimedwait, reinterpret_cast<long>(&blocked),
                        reinterpret_cast<long>(&info), reinterpret_cast<long>(&now),
                        sizeof blocked) > 0) {
    touched_outside("a signal from outside");
    send(nullptr, info);
  }
}

}  // namespace rff::signals
