// syscall(): what threads do to each other and to time through it is modelled like the functions of
// the C library.
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

// The kernel's value of a call that the C library reports through errno.
long from_errno(long result) { return result < 0 ? -errno : result; }

template <typename T>
T* pointer(long argument) {
  return reinterpret_cast<T*>(argument);
}

long modelled(long number, const long (&a)[6], const void* caller) {
  switch (number) {
    case SYS_futex: return futex_call(a, caller);
    case SYS_sched_yield: yield(caller); return 0;
    case SYS_clock_gettime:
      return from_errno(clock_gettime(static_cast<clockid_t>(a[0]), pointer<timespec>(a[1])));
    case SYS_clock_getres:
      return from_errno(clock_getres(static_cast<clockid_t>(a[0]), pointer<timespec>(a[1])));
    case SYS_gettimeofday: return from_errno(gettimeofday(pointer<timeval>(a[0]), nullptr));
    case SYS_time: return time(pointer<time_t>(a[0]));
    case SYS_nanosleep:
      return from_errno(nanosleep(pointer<timespec>(a[0]), pointer<timespec>(a[1])));
    case SYS_clock_nanosleep:
      return -clock_nanosleep(static_cast<clockid_t>(a[0]), static_cast<int>(a[1]),
                              pointer<timespec>(a[2]), pointer<timespec>(a[3]));
    case SYS_exit_group: _exit(static_cast<int>(a[0]));
    case SYS_exit: runtime->unmodelled("syscall(SYS_exit)"); break;
    case SYS_clone:
    case SYS_fork:
    case SYS_vfork: runtime->unmodelled("syscall(SYS_clone)"); break;
    default: break;
  }
  return real::syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // namespace
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
  long result = controlled() ? modelled(number, a, RFF_CALLER)
                             : real::syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}
