// Functions that send signals to threads, to the program and to processes around it; see signals.h.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/children.h"
#include "libsched/interpose/process/identity.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/interpose/sync/thread_table.h"

namespace rff {
namespace {

int with_errno(int error) {
  errno = error;
  return error == 0 ? 0 : -1;
}

siginfo_t information(int signal, int code, union sigval value = {}) {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = code;
  info.si_pid = identity::kProcess;
  info.si_uid = getuid();
  info.si_value = value;
  return info;
}

// Sends to a thread of the program, or to the program if `to` is null. Returns 0 or an errno value.
int send(Thread* to, const siginfo_t& info, const void* caller) {
  if (!signals::valid(info.si_signo)) {
    return EINVAL;
  }
  if (info.si_signo == 0) {
    return 0;
  }
  if (signals::left_to_kernel(info.si_signo)) {
    descriptions::will_signal(info.si_signo, caller);
    signals::send(to, info);
    return 0;
  }
  Operation op = operation(OpKind::kSignal, reinterpret_cast<void*>(signals::object()), caller);
  op.place = signals::place();
  runtime->run.execution.perform(op);
  if (to == nullptr || to->state != ThreadState::kEnded) {
    signals::send(to, info);
  }
  signals::take(Interruption::kNone);
  return 0;
}

int send_to_thread(pthread_t handle, const siginfo_t& info, const void* caller) {
  Thread* t = find_thread(handle);
  return t == nullptr ? ESRCH : send(t, info, caller);
}

int send_to_number(pid_t tid, const siginfo_t& info, const void* caller) {
  for (Thread* t : runtime->run.execution.threads()) {
    if (tid == identity::kProcess + static_cast<pid_t>(t->index) &&
        t->state != ThreadState::kEnded) {
      return send(t, info, caller);
    }
  }
  return ESRCH;
}

// The process group of the program contains only its own children. "All processes" means the group
// too: a run must affect only itself.
bool own_group(pid_t pid) {
  return pid == 0 || pid == -1 || pid == -identity::kGroup || pid == -identity::kProcess;
}

int send_to_processes(pid_t pid, const siginfo_t& info, const void* caller) {
  if (own_group(pid)) {
    children::send_signal(info.si_signo);
  }
  return send(nullptr, info, caller);
}

}  // namespace

long signals::queue_to_process(pid_t pid, int signal, const siginfo_t* info, const void* caller) {
  if (pid != identity::kProcess) {
    return real::syscall6(SYS_rt_sigqueueinfo, identity::real_process(pid), signal,
                          reinterpret_cast<long>(info));
  }
  return -rff::send(nullptr, information(signal, info->si_code, info->si_value), caller);
}

long signals::queue_to_thread(pid_t pid, pid_t tid, int signal, const siginfo_t* info,
                              const void* caller) {
  if (pid != identity::kProcess) {
    return real::syscall6(SYS_rt_tgsigqueueinfo, pid, tid, signal, reinterpret_cast<long>(info));
  }
  return -send_to_number(tid, information(signal, info->si_code, info->si_value), caller);
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_kill(pthread_t handle, int number) noexcept {
  return controlled() ? send_to_thread(handle, information(number, SI_TKILL), RFF_CALLER)
                      : RFF_REAL(pthread_kill)(handle, number);
}

RFF_EXPORT int pthread_sigqueue(pthread_t handle, int number, const union sigval value) noexcept {
  return controlled() ? send_to_thread(handle, information(number, SI_QUEUE, value), RFF_CALLER)
                      : RFF_REAL(pthread_sigqueue)(handle, number, value);
}

RFF_EXPORT int raise(int number) noexcept {
  return controlled() ? with_errno(send(&runtime->run.execution.current(),
                                        information(number, SI_TKILL), RFF_CALLER))
                      : RFF_REAL(raise)(number);
}

RFF_EXPORT int gsignal(int number) noexcept { return raise(number); }

RFF_EXPORT int tgkill(pid_t process, pid_t thread, int number) {
  return controlled() && process == identity::kProcess
             ? with_errno(send_to_number(thread, information(number, SI_TKILL), RFF_CALLER))
             : RFF_REAL(tgkill)(process, thread, number);
}

RFF_EXPORT int kill(pid_t pid, int number) noexcept {
  if (!controlled() || (pid != identity::kProcess && !own_group(pid))) {
    return RFF_REAL(kill)(identity::real_process(pid), number);
  }
  return with_errno(send_to_processes(pid, information(number, SI_USER), RFF_CALLER));
}

RFF_EXPORT int killpg(pid_t group, int number) noexcept {
  return group < 0 ? with_errno(EINVAL) : kill(-group, number);
}

RFF_EXPORT int sigqueue(pid_t pid, int number, const union sigval value) noexcept {
  if (!controlled() || pid != identity::kProcess) {
    return RFF_REAL(sigqueue)(identity::real_process(pid), number, value);
  }
  return with_errno(send(nullptr, information(number, SI_QUEUE, value), RFF_CALLER));
}
