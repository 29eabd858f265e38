#include "libsched/interpose/process/system_call_table.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/children.h"
#include "libsched/interpose/process/identity.h"
#include "libsched/interpose/process/processors.h"
#include "libsched/interpose/process/system_call_classes.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/support/arena.h"

namespace rff {
namespace {

using Arguments = SystemCallArguments;
using Result = std::optional<long>;

// Returns the kernel's value of a call that the C library reports through errno.
long from_errno(long result) { return result < 0 ? -errno : result; }

Result affinity(const Arguments& a) {
  if (!identity::own_thread(a.number(0))) {
    return {};
  }
  Thread& thread =
      a.words[0] == 0 ? runtime->run.execution.current()
                      : *runtime->run.execution
                             .threads()[static_cast<std::size_t>(a.number(0) - identity::kProcess)];
  int error = get_affinity(thread, a.size(1), a.pointer<cpu_set_t>(2));
  // The kernel returns the number of bytes it filled.
  return error != 0 ? -error : static_cast<long>(processor_set_bytes());
}

Result signal_mask(const Arguments& a) {
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

// The C library's form of a set that the kernel gets.
class LibrarySet {
 public:
  explicit LibrarySet(const unsigned long* given) : given_(given != nullptr) {
    set_.__val[0] = given_ ? *given : 0;
  }
  const sigset_t* get() const { return given_ ? &set_ : nullptr; }

 private:
  bool given_;
  sigset_t set_ = {};
};
LibrarySet library_set(const unsigned long* given) { return LibrarySet(given); }

// The kernel's timers have numbers of 32 bits.
timer_t kernel_timer(const Arguments& a) { return reinterpret_cast<timer_t>(a.words[0]); }
Result create_timer(const Arguments& a) {
  timer_t made = nullptr;
  int result = timer_create(a.number(0), a.pointer<sigevent>(1), &made);
  if (result == 0) {
    *a.pointer<int>(2) = static_cast<int>(reinterpret_cast<long>(made));
  }
  return from_errno(result);
}

// A child with its own memory that uses the parent's stack is forked; any other would be a thread
// that the runtime does not know.
Result clone_process(long number, const Arguments& a, std::uint64_t flags, std::uint64_t stack) {
  if ((flags & CLONE_VM) == 0 && stack == 0) {
    return children::make(number, a.words, a.caller);
  }
  runtime->process.unmodelled("syscall(SYS_clone)");
  runtime->stop_joining();
  unshare_generation();
  return {};
}

#define RFF_CALL(name) SYS_##name, "syscall(SYS_" #name ")"
#define RFF_MODELLED(name, expression)                                    \
  {                                                                       \
    RFF_CALL(name), SystemCallClass::kModelled,                           \
        []([[maybe_unused]] const Arguments& a) -> Result { expression; } \
  }
#define RFF_MAY_WAIT(name) \
  { RFF_CALL(name), SystemCallClass::kMayWait, nullptr }

constexpr SystemCall kTable[] = {
    // Threads.
    RFF_MODELLED(futex, return futex_call(a.words, a.caller)),
    RFF_MODELLED(sched_yield, yield(a.caller); return 0),
    RFF_MODELLED(exit_group, _exit(a.number(0))),
    RFF_MODELLED(exit, runtime->process.unmodelled("syscall(SYS_exit)"); return {}),
    RFF_MAY_WAIT(set_robust_list),

    // Time.
    RFF_MODELLED(clock_gettime,
                 return from_errno(clock_gettime(a.number(0), a.pointer<timespec>(1)))),
    RFF_MODELLED(clock_getres,
                 return from_errno(clock_getres(a.number(0), a.pointer<timespec>(1)))),
    RFF_MODELLED(clock_settime,
                 return from_errno(clock_settime(a.number(0), a.pointer<timespec>(1)))),
    RFF_MODELLED(settimeofday, return from_errno(settimeofday(a.pointer<timeval>(0),
                                                              a.pointer<struct timezone>(1)))),
    RFF_MODELLED(adjtimex, return from_errno(adjtimex(a.pointer<timex>(0)))),
    RFF_MODELLED(clock_adjtime, return from_errno(clock_adjtime(a.number(0), a.pointer<timex>(1)))),
    RFF_MODELLED(gettimeofday, return from_errno(gettimeofday(a.pointer<timeval>(0), nullptr))),
    RFF_MODELLED(time, return time(a.pointer<time_t>(0))),
    RFF_MODELLED(times, return times(a.pointer<tms>(0))),
    RFF_MODELLED(getrusage, return from_errno(getrusage(static_cast<__rusage_who_t>(a.number(0)),
                                                        a.pointer<rusage>(1)))),
    RFF_MODELLED(nanosleep,
                 return from_errno(nanosleep(a.pointer<timespec>(0), a.pointer<timespec>(1)))),
    RFF_MODELLED(clock_nanosleep,
                 return -clock_nanosleep(a.number(0), a.number(1), a.pointer<timespec>(2),
                                         a.pointer<timespec>(3))),

    // Identity and the machine.
    RFF_MODELLED(getpid, return getpid()),
    RFF_MODELLED(getppid, return getppid()),
    RFF_MODELLED(gettid, return gettid()),
    RFF_MODELLED(getpgrp, return getpgrp()),
    RFF_MODELLED(getpgid, return from_errno(getpgid(a.number(0)))),
    RFF_MODELLED(getsid, return from_errno(getsid(a.number(0)))),
    RFF_MODELLED(setpgid, return from_errno(setpgid(a.number(0), a.number(1)))),
    RFF_MODELLED(sysinfo, return from_errno(sysinfo(a.pointer<struct sysinfo>(0)))),
    RFF_MODELLED(getcpu, return getcpu(a.pointer<unsigned>(0), a.pointer<unsigned>(1))),
    RFF_MODELLED(sched_getaffinity, return affinity(a)),
    RFF_MODELLED(sched_setaffinity, return from_errno(sched_setaffinity(a.number(0), a.size(1),
                                                                        a.pointer<cpu_set_t>(2)))),
    RFF_MODELLED(uname, return from_errno(uname(a.pointer<utsname>(0)))),
    RFF_MODELLED(getrandom, return from_errno(getrandom(a.pointer<void>(0), a.size(1), 0))),

    // Signals.
    RFF_MODELLED(kill, return from_errno(kill(a.number(0), a.number(1)))),
    RFF_MODELLED(tgkill, return from_errno(tgkill(a.number(0), a.number(1), a.number(2)))),
    RFF_MODELLED(tkill, return from_errno(tgkill(identity::kProcess, a.number(0), a.number(1)))),
    RFF_MODELLED(pause, return from_errno(pause())),
    RFF_MODELLED(rt_sigsuspend, return from_errno(sigsuspend(a.pointer<sigset_t>(0)))),
    RFF_MODELLED(rt_sigtimedwait,
                 return from_errno(sigtimedwait(a.pointer<sigset_t>(0), a.pointer<siginfo_t>(1),
                                                a.pointer<timespec>(2)))),
    RFF_MODELLED(rt_sigprocmask, return signal_mask(a)),
    RFF_MODELLED(rt_sigreturn, return {}),
    RFF_MODELLED(rt_sigaction, return signals::kernel_action(a.number(0), a.pointer<const void>(1),
                                                             a.pointer<void>(2), a.size(3))),
    RFF_MODELLED(rt_sigqueueinfo, return signals::queue_to_process(
                                      a.number(0), a.number(1), a.pointer<siginfo_t>(2), a.caller)),
    RFF_MODELLED(rt_tgsigqueueinfo,
                 return signals::queue_to_thread(a.number(0), a.number(1), a.number(2),
                                                 a.pointer<siginfo_t>(3), a.caller)),

    // Files and memory.
    RFF_MODELLED(open, return from_errno(
                           open(a.pointer<char>(0), a.number(1), static_cast<mode_t>(a.words[2])))),
    RFF_MODELLED(openat, return from_errno(openat(a.number(0), a.pointer<char>(1), a.number(2),
                                                  static_cast<mode_t>(a.words[3])))),
    RFF_MODELLED(close, return from_errno(close(a.number(0)))),
    RFF_MODELLED(close_range,
                 return from_errno(close_range(static_cast<unsigned>(a.words[0]),
                                               static_cast<unsigned>(a.words[1]), a.number(2)))),
    RFF_MODELLED(dup, return from_errno(dup(a.number(0)))),
    RFF_MODELLED(dup2, return from_errno(dup2(a.number(0), a.number(1)))),
    RFF_MODELLED(dup3, return from_errno(dup3(a.number(0), a.number(1), a.number(2)))),
    RFF_MODELLED(fcntl, return from_errno(fcntl(a.number(0), a.number(1), a.pointer<void>(2)))),
    RFF_MODELLED(readlink,
                 return from_errno(readlink(a.pointer<char>(0), a.pointer<char>(1), a.size(2)))),
    RFF_MODELLED(readlinkat, return from_errno(readlinkat(a.number(0), a.pointer<char>(1),
                                                          a.pointer<char>(2), a.size(3)))),
    RFF_MODELLED(access, return from_errno(access(a.pointer<char>(0), a.number(1)))),
    RFF_MODELLED(faccessat,
                 return from_errno(faccessat(a.number(0), a.pointer<char>(1), a.number(2), 0))),
    RFF_MODELLED(faccessat2, return from_errno(faccessat(a.number(0), a.pointer<char>(1),
                                                         a.number(2), a.number(3)))),
    RFF_MODELLED(stat, return from_errno(stat(a.pointer<char>(0), a.pointer<struct stat>(1)))),
    RFF_MODELLED(lstat, return from_errno(lstat(a.pointer<char>(0), a.pointer<struct stat>(1)))),
    RFF_MODELLED(fstat, return from_errno(fstat(a.number(0), a.pointer<struct stat>(1)))),
    RFF_MODELLED(newfstatat, return from_errno(fstatat(a.number(0), a.pointer<char>(1),
                                                       a.pointer<struct stat>(2), a.number(3)))),
    RFF_MODELLED(statx, return from_errno(statx(a.number(0), a.pointer<char>(1), a.number(2),
                                                static_cast<unsigned>(a.words[3]),
                                                a.pointer<struct statx>(4)))),
    RFF_MODELLED(read, return from_errno(read(a.number(0), a.pointer<void>(1), a.size(2)))),
    RFF_MODELLED(readv, return from_errno(readv(a.number(0), a.pointer<iovec>(1), a.number(2)))),
    RFF_MODELLED(write, return from_errno(write(a.number(0), a.pointer<void>(1), a.size(2)))),
    RFF_MODELLED(writev, return from_errno(writev(a.number(0), a.pointer<iovec>(1), a.number(2)))),
    RFF_MODELLED(flock, return from_errno(flock(a.number(0), a.number(1)))),
    RFF_MODELLED(poll, return from_errno(poll(a.pointer<pollfd>(0), static_cast<nfds_t>(a.words[1]),
                                              a.number(2)))),
    RFF_MODELLED(epoll_wait, return from_errno(epoll_wait(a.number(0), a.pointer<epoll_event>(1),
                                                          a.number(2), a.number(3)))),
    RFF_MODELLED(epoll_pwait,
                 return from_errno(epoll_pwait(a.number(0), a.pointer<epoll_event>(1), a.number(2),
                                               a.number(3), a.pointer<sigset_t>(4)))),
    RFF_MODELLED(select,
                 return from_errno(select(a.number(0), a.pointer<fd_set>(1), a.pointer<fd_set>(2),
                                          a.pointer<fd_set>(3), a.pointer<timeval>(4)))),
    RFF_MODELLED(mmap, return from_errno(
                           reinterpret_cast<long>(mmap(a.pointer<void>(0), a.size(1), a.number(2),
                                                       a.number(3), a.number(4), a.words[5])))),
    RFF_MODELLED(munmap, return from_errno(munmap(a.pointer<void>(0), a.size(1)))),
    RFF_MODELLED(ppoll,
                 return from_errno(ppoll(a.pointer<pollfd>(0), static_cast<nfds_t>(a.words[1]),
                                         a.pointer<timespec>(2),
                                         library_set(a.pointer<unsigned long>(3)).get()))),
    RFF_MAY_WAIT(pselect6),
    RFF_MAY_WAIT(semop),
    RFF_MAY_WAIT(semtimedop),
    RFF_MAY_WAIT(msgrcv),
    RFF_MAY_WAIT(msgsnd),
    RFF_MAY_WAIT(mq_timedreceive),
    RFF_MAY_WAIT(mq_timedsend),
    RFF_MAY_WAIT(io_getevents),
    RFF_MAY_WAIT(io_uring_enter),

    // Descriptors that the program makes, and timers.
    RFF_MODELLED(pipe, return from_errno(pipe(a.pointer<int>(0)))),
    RFF_MODELLED(pipe2, return from_errno(pipe2(a.pointer<int>(0), a.number(1)))),
    RFF_MODELLED(eventfd, return from_errno(eventfd(static_cast<unsigned>(a.words[0]), 0))),
    RFF_MODELLED(eventfd2,
                 return from_errno(eventfd(static_cast<unsigned>(a.words[0]), a.number(1)))),
    RFF_MODELLED(epoll_create, return from_errno(epoll_create(a.number(0)))),
    RFF_MODELLED(epoll_create1, return from_errno(epoll_create1(a.number(0)))),
    RFF_MODELLED(epoll_ctl, return from_errno(epoll_ctl(a.number(0), a.number(1), a.number(2),
                                                        a.pointer<epoll_event>(3)))),
    RFF_MODELLED(epoll_pwait2,
                 return from_errno(epoll_pwait2(a.number(0), a.pointer<epoll_event>(1), a.number(2),
                                                a.pointer<timespec>(3),
                                                library_set(a.pointer<unsigned long>(4)).get()))),
    RFF_MODELLED(timerfd_create, return from_errno(timerfd_create(a.number(0), a.number(1)))),
    RFF_MODELLED(timerfd_settime, return from_errno(timerfd_settime(a.number(0), a.number(1),
                                                                    a.pointer<itimerspec>(2),
                                                                    a.pointer<itimerspec>(3)))),
    RFF_MODELLED(timerfd_gettime,
                 return from_errno(timerfd_gettime(a.number(0), a.pointer<itimerspec>(1)))),
    RFF_MODELLED(alarm, return alarm(static_cast<unsigned>(a.words[0]))),
    RFF_MODELLED(setitimer,
                 return from_errno(setitimer(static_cast<__itimer_which_t>(a.number(0)),
                                             a.pointer<itimerval>(1), a.pointer<itimerval>(2)))),
    RFF_MODELLED(getitimer, return from_errno(getitimer(static_cast<__itimer_which_t>(a.number(0)),
                                                        a.pointer<itimerval>(1)))),
    RFF_MODELLED(timer_create, return create_timer(a)),
    RFF_MODELLED(timer_settime, return from_errno(timer_settime(kernel_timer(a), a.number(1),
                                                                a.pointer<itimerspec>(2),
                                                                a.pointer<itimerspec>(3)))),
    RFF_MODELLED(timer_gettime,
                 return from_errno(timer_gettime(kernel_timer(a), a.pointer<itimerspec>(1)))),
    RFF_MODELLED(timer_getoverrun, return from_errno(timer_getoverrun(kernel_timer(a)))),
    RFF_MODELLED(timer_delete, return from_errno(timer_delete(kernel_timer(a)))),

    // Sockets.
    RFF_MODELLED(socket, return from_errno(socket(a.number(0), a.number(1), a.number(2)))),
    RFF_MODELLED(socketpair, return from_errno(socketpair(a.number(0), a.number(1), a.number(2),
                                                          a.pointer<int>(3)))),
    RFF_MODELLED(bind, return from_errno(bind(a.number(0), a.pointer<sockaddr>(1),
                                              static_cast<socklen_t>(a.words[2])))),
    RFF_MODELLED(listen, return from_errno(listen(a.number(0), a.number(1)))),
    RFF_MODELLED(shutdown, return from_errno(shutdown(a.number(0), a.number(1)))),
    RFF_MODELLED(getsockname, return from_errno(getsockname(a.number(0), a.pointer<sockaddr>(1),
                                                            a.pointer<socklen_t>(2)))),
    RFF_MODELLED(getpeername, return from_errno(getpeername(a.number(0), a.pointer<sockaddr>(1),
                                                            a.pointer<socklen_t>(2)))),
    RFF_MODELLED(accept, return from_errno(
                             accept(a.number(0), a.pointer<sockaddr>(1), a.pointer<socklen_t>(2)))),
    RFF_MODELLED(accept4, return from_errno(accept4(a.number(0), a.pointer<sockaddr>(1),
                                                    a.pointer<socklen_t>(2), a.number(3)))),
    RFF_MODELLED(connect, return from_errno(connect(a.number(0), a.pointer<sockaddr>(1),
                                                    static_cast<socklen_t>(a.words[2])))),
    RFF_MODELLED(recvfrom,
                 return from_errno(recvfrom(a.number(0), a.pointer<void>(1), a.size(2), a.number(3),
                                            a.pointer<sockaddr>(4), a.pointer<socklen_t>(5)))),
    RFF_MODELLED(sendto, return from_errno(sendto(a.number(0), a.pointer<void>(1), a.size(2),
                                                  a.number(3), a.pointer<sockaddr>(4),
                                                  static_cast<socklen_t>(a.words[5])))),
    RFF_MODELLED(recvmsg,
                 return from_errno(recvmsg(a.number(0), a.pointer<msghdr>(1), a.number(2)))),
    RFF_MODELLED(sendmsg,
                 return from_errno(sendmsg(a.number(0), a.pointer<msghdr>(1), a.number(2)))),
    RFF_MAY_WAIT(recvmmsg),

    // Processes.
    RFF_MODELLED(wait4, return from_errno(wait4(a.number(0), a.pointer<int>(1), a.number(2),
                                                a.pointer<rusage>(3)))),
    RFF_MODELLED(execve, return from_errno(
                             execve(a.pointer<char>(0), a.pointer<char*>(1), a.pointer<char*>(2)))),
    RFF_MODELLED(fork, return children::make(SYS_fork, a.words, a.caller)),
    RFF_MODELLED(vfork,  // a real vfork child would use the runtime's frames
                 return children::make(SYS_fork, a.words, a.caller)),
    RFF_MODELLED(clone, return clone_process(SYS_clone, a, static_cast<std::uint64_t>(a.words[0]),
                                             static_cast<std::uint64_t>(a.words[1]))),
    RFF_MODELLED(clone3, return clone_process(SYS_clone3, a, a.pointer<clone_args>(0)->flags,
                                              a.pointer<clone_args>(0)->stack)),
    RFF_MAY_WAIT(waitid),
};

#undef RFF_CALL
#undef RFF_MODELLED
#undef RFF_MAY_WAIT

constexpr bool has_row(long number) {
  return std::any_of(std::begin(kTable), std::end(kTable),
                     [&](const SystemCall& c) { return c.number == number; });
}

// Returns the first number that the table and the lists of system_call_classes.h forget, or have
// twice; -1 if there is none.
constexpr long first_without_class() {
  for (long n = 0; n <= SYS_set_mempolicy_home_node; ++n) {
    if (n > kLastOfFirstRange && n < kFirstOfSecondRange) {
      continue;
    }
    int classes = (has_row(n) ? 1 : 0) + (is_in(kPlainCalls, n) ? 1 : 0) +
                  (is_in(kChangingCalls, n) ? 1 : 0) + (is_in(kNamedCalls, n) ? 1 : 0);
    if (classes != 1) {
      return n;
    }
  }
  return -1;
}
static_assert(first_without_class() == -1, "every system call has one class");

}  // namespace

const SystemCall* find_system_call(long number) {
  const auto* row = std::find_if(std::begin(kTable), std::end(kTable),
                                 [&](const SystemCall& c) { return c.number == number; });
  return row != std::end(kTable) ? row : nullptr;
}

}  // namespace rff
