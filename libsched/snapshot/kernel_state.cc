#include "libsched/snapshot/kernel_state.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include <algorithm>

#include "libsched/snapshot/unwatched.h"
#include "libsched/support/places.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

using unwatched::address;
using unwatched::call;
using unwatched::kPopulateRead;
using unwatched::kPopulateWrite;

constexpr std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }

// They change nothing, whatever their arguments.
constexpr long kLeaveNothing[] = {SYS_clock_gettime,
                                  SYS_clock_getres,
                                  SYS_gettimeofday,
                                  SYS_time,
                                  SYS_getpid,
                                  SYS_gettid,
                                  SYS_getppid,
                                  SYS_getpgrp,
                                  SYS_getpgid,
                                  SYS_getsid,
                                  SYS_getuid,
                                  SYS_geteuid,
                                  SYS_getgid,
                                  SYS_getegid,
                                  SYS_getresuid,
                                  SYS_getresgid,
                                  SYS_getgroups,
                                  SYS_getrlimit,
                                  SYS_getpriority,
                                  SYS_getcpu,
                                  SYS_sched_yield,
                                  SYS_sched_getaffinity,
                                  SYS_sched_getparam,
                                  SYS_sched_getscheduler,
                                  SYS_sched_get_priority_max,
                                  SYS_sched_get_priority_min,
                                  SYS_uname,
                                  SYS_sysinfo,
                                  SYS_getrandom,
                                  SYS_getcwd,
                                  SYS_access,
                                  SYS_faccessat,
                                  SYS_stat,
                                  SYS_lstat,
                                  SYS_statfs,
                                  SYS_readlink,
                                  SYS_readlinkat,
                                  SYS_timer_gettime,
                                  SYS_getitimer,
                                  SYS_rt_sigpending};

// Some of their uses leave nothing or can be undone.
constexpr long kPutBack[] = {SYS_write,          SYS_writev,      SYS_fstat,    SYS_newfstatat,
                             SYS_mmap,           SYS_munmap,      SYS_mprotect, SYS_brk,
                             SYS_madvise,        SYS_futex,       SYS_ioctl,    SYS_prlimit64,
                             SYS_rt_sigprocmask, SYS_rt_sigaction};

bool is_dev_null(int descriptor) {
  struct stat s = {};
  return call(SYS_fstat, descriptor, address(&s)) == 0 && S_ISCHR(s.st_mode) &&
         s.st_rdev == makedev(1, 3);
}

// Memory of the runtime.
bool is_own(std::uint64_t place) {
  constexpr std::uint64_t kEnd = 0x400000000000;
  return place >= static_cast<std::uint64_t>(places::kOwn) && place < kEnd;
}

// A wake-up: on fibers no thread waits in the kernel.
bool wakes(long operation) {
  long command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET;
}

}  // namespace

AfterRun after_run(long number) {
  bool some_uses = is_in(kPutBack, number) || MadeDescriptors::knows(number);
  return is_in(kLeaveNothing, number) ? AfterRun::kNothing
         : some_uses                  ? AfterRun::kPutBack
                                      : AfterRun::kRetire;
}

void KernelState::remember() {
  break_ = static_cast<std::uint64_t>(call(SYS_brk));
  call(SYS_rt_sigprocmask, SIG_SETMASK, 0, address(&mask_), sizeof mask_);
  for (int fd = 0; fd <= 2; ++fd) {
    to_nowhere_ |= is_dev_null(fd) ? 1u << fd : 0;
  }
}

bool KernelState::make(const CallMade& c, std::uint64_t* mask, long* result) {
  switch (after_run(c.number)) {
    case AfterRun::kNothing: *result = make_as_it_is(c); return true;
    case AfterRun::kPutBack: return make_put_back(c, mask, result);
    case AfterRun::kRetire: break;
  }
  return false;
}

bool KernelState::make_put_back(const CallMade& c, std::uint64_t* mask, long* result) {
  const long* a = c.arguments;
  auto from = static_cast<std::uint64_t>(a[0]);
  bool harmless = false;
  switch (c.number) {
    case SYS_mmap: return !hidden_.any() && map(c, result);
    case SYS_munmap: return unmap(c, result);
    case SYS_brk: return !hidden_.any() && move_break(c, result);
    case SYS_rt_sigprocmask: return set_mask(c, mask, result);
    case SYS_write:
    case SYS_writev: harmless = a[0] >= 0 && a[0] <= 2 && (to_nowhere_ >> a[0] & 1) != 0; break;
    case SYS_ioctl: harmless = a[0] >= 0 && a[0] <= 2 && a[1] == TCGETS; break;  // isatty
    case SYS_fstat: harmless = a[0] >= 0 && a[0] <= 2; break;
    case SYS_newfstatat: harmless = a[0] <= 2; break;
    case SYS_mprotect: harmless = in_made(from, from + static_cast<std::uint64_t>(a[1])); break;
    case SYS_futex: harmless = wakes(a[1]); break;
    case SYS_prlimit64: harmless = a[2] == 0; break;
    case SYS_rt_sigaction: harmless = a[1] == 0 && a[0] != SIGSYS; break;
    case SYS_madvise:
      if (is_own(from) && a[2] == kPopulateWrite) {
        *result = 0;  // pages that runs use are there
        return true;
      }
      harmless = a[2] == kPopulateWrite || a[2] == kPopulateRead ||
                 in_made(from, from + static_cast<std::uint64_t>(a[1]));
      break;
    default: break;
  }
  if (harmless) {
    *result = make_as_it_is(c);
  }
  return harmless || descriptors_.make(c, result) || files_.make(c, result);
}

bool KernelState::in_made(std::uint64_t begin, std::uint64_t end) const {
  return std::any_of(made_, made_ + made_count_,
                     [&](const Range& r) { return r.contains(begin, end); });
}

bool KernelState::map(const CallMade& c, long* result) {
  const long* a = c.arguments;
  constexpr long kAllowed = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  if ((a[3] & ~kAllowed) != 0 || (a[3] & MAP_PRIVATE) == 0 || (a[3] & MAP_ANONYMOUS) == 0 ||
      made_count_ == kMostRanges) {
    return false;
  }
  *result = make_as_it_is(c);
  if (*result >= 0 || *result < -4095) {
    auto begin = static_cast<std::uint64_t>(*result);
    std::uint64_t bytes = (static_cast<std::uint64_t>(a[1]) + kPage - 1) & ~(kPage - 1);
    made_[made_count_++] = {begin, begin + bytes};
  }
  return true;
}

bool KernelState::unmap(const CallMade& c, long* result) {
  auto begin = static_cast<std::uint64_t>(c.arguments[0]);
  std::uint64_t end =
      (begin + static_cast<std::uint64_t>(c.arguments[1]) + kPage - 1) & ~(kPage - 1);
  Range* range = std::find_if(made_, made_ + made_count_,
                              [&](const Range& r) { return r.contains(begin, end); });
  if (range == made_ + made_count_) {
    *result = 0;
    return hidden_.hide(begin, end, saved_);
  }
  if (made_count_ == kMostRanges) {
    return false;
  }
  *result = make_as_it_is(c);
  if (*result == 0 && range->begin == begin && range->end == end) {
    *range = made_[--made_count_];
  } else if (*result == 0 && range->begin == begin) {
    range->begin = end;
  } else if (*result == 0) {
    made_[made_count_++] = {end, range->end};
    range->end = begin;
  }
  return true;
}

bool KernelState::move_break(const CallMade& c, long* result) {
  auto wanted = static_cast<std::uint64_t>(c.arguments[0]);
  if (wanted != 0 && wanted < break_) {
    return false;
  }
  *result = make_as_it_is(c);
  break_moved_ = break_moved_ || wanted != 0;
  return true;
}

// The program can block every signal but that of the witness. Signals arrive when the handler of
// the witness returns: all are blocked here, so that the kernel's calls only check the pointers.
bool KernelState::set_mask(const CallMade& c, std::uint64_t* mask, long* result) {
  const long* a = c.arguments;
  *result = call(SYS_rt_sigprocmask, SIG_BLOCK, a[1], 0, a[3]);
  if (*result < 0) {
    return true;
  }
  std::uint64_t before = *mask, after = *mask;
  if (a[1] != 0) {
    std::uint64_t given = *reinterpret_cast<const std::uint64_t*>(a[1]);
    switch (a[0]) {
      case SIG_BLOCK: after |= given; break;
      case SIG_UNBLOCK: after &= ~given; break;
      case SIG_SETMASK: after = given; break;
      default: *result = -EINVAL; return true;
    }
  }
  *mask = after & ~(bit_of(SIGSYS) | bit_of(SIGKILL) | bit_of(SIGSTOP));
  *result = call(SYS_rt_sigprocmask, SIG_BLOCK, 0, a[2], a[3]);
  if (*result == 0 && a[2] != 0) {
    *reinterpret_cast<std::uint64_t*>(a[2]) = before;
  }
  return true;
}

void KernelState::put_mask_back() const {
  call(SYS_rt_sigprocmask, SIG_SETMASK, address(&mask_), 0, sizeof mask_);
}

void KernelState::put_back() {
  hidden_.put_back();
  descriptors_.put_back();
  files_.put_back();
  if (break_moved_) {
    call(SYS_brk, static_cast<long>(break_));
    break_moved_ = false;
  }
  for (std::size_t i = 0; i < made_count_; ++i) {
    if (made_[i].begin < made_[i].end) {
      call(SYS_munmap, static_cast<long>(made_[i].begin),
           static_cast<long>(made_[i].end - made_[i].begin));
    }
  }
  made_count_ = 0;
}

}  // namespace rff
