// Which signals threads block, and which the kernel holds back for them; see signals.h.
#include <sys/syscall.h>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/report/watchdog.h"

namespace rff::signals {
namespace {

Set for_kernel = 0;

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

void leave_to_kernel(Set set) { for_kernel |= set; }
bool left_to_kernel(int signal) { return (for_kernel & bit(signal)) != 0; }

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
