// What threads do to each other, to time and to the world through bare system calls is modelled
// like the functions of the C library.
#include "libsched/interpose/process/system_calls.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libsched/interpose/process/children.h"
#include "libsched/interpose/process/identity.h"
#include "libsched/interpose/interpose.h"
#include "libsched/support/arena.h"

namespace rff {
namespace {

// The kernel's value of a call that the C library reports through errno.
long from_errno(long result) { return result < 0 ? -errno : result; }

struct Arguments {
  const long (&a)[6];
  template <typename T>
  T* pointer(int i) const {
    return reinterpret_cast<T*>(a[i]);
  }
  int number(int i) const { return static_cast<int>(a[i]); }
  std::size_t size(int i) const { return static_cast<std::size_t>(a[i]); }
};

long time_call(long number, const Arguments& a) {
  switch (number) {
    case SYS_clock_gettime: return from_errno(clock_gettime(a.number(0), a.pointer<timespec>(1)));
    case SYS_clock_getres: return from_errno(clock_getres(a.number(0), a.pointer<timespec>(1)));
    case SYS_clock_settime: return from_errno(clock_settime(a.number(0), a.pointer<timespec>(1)));
    case SYS_settimeofday:
      return from_errno(settimeofday(a.pointer<timeval>(0), a.pointer<struct timezone>(1)));
    case SYS_adjtimex: return from_errno(adjtimex(a.pointer<timex>(0)));
    case SYS_clock_adjtime: return from_errno(clock_adjtime(a.number(0), a.pointer<timex>(1)));
    case SYS_gettimeofday: return from_errno(gettimeofday(a.pointer<timeval>(0), nullptr));
    case SYS_time: return time(a.pointer<time_t>(0));
    case SYS_times: return times(a.pointer<tms>(0));
    case SYS_getrusage:
      return from_errno(getrusage(static_cast<__rusage_who_t>(a.number(0)), a.pointer<rusage>(1)));
    case SYS_nanosleep:
      return from_errno(nanosleep(a.pointer<timespec>(0), a.pointer<timespec>(1)));
    default:
      return -clock_nanosleep(a.number(0), a.number(1), a.pointer<timespec>(2),
                              a.pointer<timespec>(3));
  }
}

long identity_call(long number, const Arguments& a) {
  switch (number) {
    case SYS_getpid: return getpid();
    case SYS_getppid: return getppid();
    case SYS_gettid: return gettid();
    case SYS_getpgrp: return getpgrp();
    case SYS_getpgid: return from_errno(getpgid(a.number(0)));
    case SYS_getsid: return from_errno(getsid(a.number(0)));
    case SYS_setpgid: return from_errno(setpgid(a.number(0), a.number(1)));
    case SYS_sysinfo: return from_errno(sysinfo(a.pointer<struct sysinfo>(0)));
    case SYS_getcpu: return getcpu(a.pointer<unsigned>(0), a.pointer<unsigned>(1));
    case SYS_sched_setaffinity:
      return from_errno(sched_setaffinity(a.number(0), a.size(1), a.pointer<cpu_set_t>(2)));
    default: {
      // The kernel says how many bytes it filled.
      long error = from_errno(sched_getaffinity(a.number(0), a.size(1), a.pointer<cpu_set_t>(2)));
      return error < 0 ? error : 8;
    }
  }
}

long signal_call(long number, const Arguments& a) {
  switch (number) {
    case SYS_kill: return from_errno(kill(a.number(0), a.number(1)));
    case SYS_tgkill: return from_errno(tgkill(a.number(0), a.number(1), a.number(2)));
    case SYS_tkill: return from_errno(tgkill(identity::kProcess, a.number(0), a.number(1)));
    case SYS_pause: return from_errno(pause());
    case SYS_rt_sigsuspend: return from_errno(sigsuspend(a.pointer<sigset_t>(0)));
    case SYS_rt_sigtimedwait:
      return from_errno(
          sigtimedwait(a.pointer<sigset_t>(0), a.pointer<siginfo_t>(1), a.pointer<timespec>(2)));
    default: {
      // The kernel's sets are shorter than the C library's.
      sigset_t old = {};
      sigset_t change = {};
      auto* given = a.pointer<unsigned long>(1);
      auto* before = a.pointer<unsigned long>(2);
      if (given != nullptr) {
        change.__val[0] = *given;
      }
      int error = pthread_sigmask(a.number(0), given != nullptr ? &change : nullptr, &old);
      if (error == 0 && before != nullptr) {
        *before = old.__val[0];
      }
      return -error;
    }
  }
}

long file_call(long number, const Arguments& a) {
  switch (number) {
    case SYS_open:
      return from_errno(open(a.pointer<char>(0), a.number(1), static_cast<mode_t>(a.a[2])));
    case SYS_openat:
      return from_errno(
          openat(a.number(0), a.pointer<char>(1), a.number(2), static_cast<mode_t>(a.a[3])));
    case SYS_close: return from_errno(close(a.number(0)));
    case SYS_readlink:
      return from_errno(readlink(a.pointer<char>(0), a.pointer<char>(1), a.size(2)));
    case SYS_read: return from_errno(read(a.number(0), a.pointer<void>(1), a.size(2)));
    case SYS_readv: return from_errno(readv(a.number(0), a.pointer<iovec>(1), a.number(2)));
    case SYS_write: return from_errno(write(a.number(0), a.pointer<void>(1), a.size(2)));
    case SYS_writev: return from_errno(writev(a.number(0), a.pointer<iovec>(1), a.number(2)));
    case SYS_flock: return from_errno(flock(a.number(0), a.number(1)));
    case SYS_poll:
      return from_errno(poll(a.pointer<pollfd>(0), static_cast<nfds_t>(a.a[1]), a.number(2)));
    case SYS_epoll_wait:
      return from_errno(
          epoll_wait(a.number(0), a.pointer<epoll_event>(1), a.number(2), a.number(3)));
    case SYS_epoll_pwait:
      return from_errno(epoll_pwait(a.number(0), a.pointer<epoll_event>(1), a.number(2),
                                    a.number(3), a.pointer<sigset_t>(4)));
    case SYS_select:
      return from_errno(select(a.number(0), a.pointer<fd_set>(1), a.pointer<fd_set>(2),
                               a.pointer<fd_set>(3), a.pointer<timeval>(4)));
    case SYS_mmap:
      return from_errno(reinterpret_cast<long>(
          mmap(a.pointer<void>(0), a.size(1), a.number(2), a.number(3), a.number(4), a.a[5])));
    case SYS_munmap: return from_errno(munmap(a.pointer<void>(0), a.size(1)));
    default: return from_errno(getrandom(a.pointer<void>(0), a.size(1), 0));
  }
}

long socket_call(long number, const Arguments& a) {
  auto* address = a.pointer<sockaddr>(4);
  switch (number) {
    case SYS_accept:
      return from_errno(accept(a.number(0), a.pointer<sockaddr>(1), a.pointer<socklen_t>(2)));
    case SYS_accept4:
      return from_errno(
          accept4(a.number(0), a.pointer<sockaddr>(1), a.pointer<socklen_t>(2), a.number(3)));
    case SYS_connect:
      return from_errno(
          connect(a.number(0), a.pointer<sockaddr>(1), static_cast<socklen_t>(a.a[2])));
    case SYS_recvfrom:
      return from_errno(recvfrom(a.number(0), a.pointer<void>(1), a.size(2), a.number(3), address,
                                 a.pointer<socklen_t>(5)));
    case SYS_sendto:
      return from_errno(sendto(a.number(0), a.pointer<void>(1), a.size(2), a.number(3), address,
                               static_cast<socklen_t>(a.a[5])));
    case SYS_recvmsg: return from_errno(recvmsg(a.number(0), a.pointer<msghdr>(1), a.number(2)));
    default: return from_errno(sendmsg(a.number(0), a.pointer<msghdr>(1), a.number(2)));
  }
}

// Calls that may wait and are not modelled: they are made, and named.
const char* may_wait(long number) {
  switch (number) {
    case SYS_ppoll: return "syscall(SYS_ppoll)";
    case SYS_pselect6: return "syscall(SYS_pselect6)";
    case SYS_waitid: return "syscall(SYS_waitid)";
    case SYS_semop: return "syscall(SYS_semop)";
    case SYS_semtimedop: return "syscall(SYS_semtimedop)";
    case SYS_msgrcv: return "syscall(SYS_msgrcv)";
    case SYS_msgsnd: return "syscall(SYS_msgsnd)";
    case SYS_mq_timedreceive: return "syscall(SYS_mq_timedreceive)";
    case SYS_mq_timedsend: return "syscall(SYS_mq_timedsend)";
    case SYS_io_getevents: return "syscall(SYS_io_getevents)";
    case SYS_io_uring_enter: return "syscall(SYS_io_uring_enter)";
    case SYS_recvmmsg: return "syscall(SYS_recvmmsg)";
    case SYS_rt_sigaction: return "syscall(SYS_rt_sigaction)";
    case SYS_rt_sigqueueinfo: return "syscall(SYS_rt_sigqueueinfo)";
    case SYS_rt_tgsigqueueinfo: return "syscall(SYS_rt_tgsigqueueinfo)";
    case SYS_set_robust_list: return "syscall(SYS_set_robust_list)";
    default: return nullptr;
  }
}

// It has memory of its own, and no stack of its own.
bool clones_as_fork(long number, const Arguments& a) {
  bool described = number == SYS_clone3;
  const auto* description = a.pointer<clone_args>(0);
  std::uint64_t flags = described ? description->flags : static_cast<std::uint64_t>(a.a[0]);
  std::uint64_t stack = described ? description->stack : static_cast<std::uint64_t>(a.a[1]);
  return (flags & CLONE_VM) == 0 && stack == 0;
}

bool carry_out(long number, const long (&words)[6], const void* caller, long* result) {
  Arguments a{words};
  switch (number) {
    case SYS_futex: *result = futex_call(words, caller); return true;
    case SYS_sched_yield:
      yield(caller);
      *result = 0;
      return true;
    case SYS_exit_group: _exit(a.number(0));
    case SYS_clock_gettime:
    case SYS_clock_getres:
    case SYS_clock_settime:
    case SYS_settimeofday:
    case SYS_adjtimex:
    case SYS_clock_adjtime:
    case SYS_gettimeofday:
    case SYS_time:
    case SYS_times:
    case SYS_getrusage:
    case SYS_nanosleep:
    case SYS_clock_nanosleep: *result = time_call(number, a); return true;
    case SYS_getpid:
    case SYS_getppid:
    case SYS_gettid:
    case SYS_getpgrp:
    case SYS_getpgid:
    case SYS_getsid:
    case SYS_setpgid:
    case SYS_sysinfo:
    case SYS_getcpu:
    case SYS_sched_getaffinity:
    case SYS_sched_setaffinity: *result = identity_call(number, a); return true;
    case SYS_kill:
    case SYS_tgkill:
    case SYS_tkill:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigprocmask: *result = signal_call(number, a); return true;
    case SYS_open:
    case SYS_openat:
    case SYS_close:
    case SYS_readlink:
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_flock:
    case SYS_poll:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_select:
    case SYS_mmap:
    case SYS_munmap:
    case SYS_getrandom: *result = file_call(number, a); return true;
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_recvfrom:
    case SYS_sendto:
    case SYS_recvmsg:
    case SYS_sendmsg: *result = socket_call(number, a); return true;
    case SYS_wait4:
      *result =
          from_errno(wait4(a.number(0), a.pointer<int>(1), a.number(2), a.pointer<rusage>(3)));
      return true;
    case SYS_exit: runtime->unmodelled("syscall(SYS_exit)"); return false;
    case SYS_fork:
    case SYS_vfork:  // that child would use our frames
      *result = children::make(SYS_fork, words, caller);
      return true;
    case SYS_clone:
    case SYS_clone3:
      if (clones_as_fork(number, a)) {
        *result = children::make(number, words, caller);
        return true;
      }
      runtime->unmodelled("syscall(SYS_clone)");
      unshare_generation();
      return false;
    case SYS_rt_sigreturn: return false;
    default: break;
  }
  if (const char* name = may_wait(number)) {
    touched_outside(name);
  }
  *result = real::syscall6(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  return true;
}

}  // namespace

bool system_call(long number, const long (&arguments)[6], const void* caller, long* result) {
  int error = errno;  // the kernel leaves it alone
  bool done = carry_out(number, arguments, caller, result);
  errno = error;
  return done;
}

}  // namespace rff

using namespace rff;

RFF_EXPORT long syscall(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (long& word : a) {
    word = va_arg(rest, long);
  }
  va_end(rest);
  long result = 0;
  if (!controlled() || !system_call(number, a, RFF_CALLER, &result)) {
    result = real::syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}
