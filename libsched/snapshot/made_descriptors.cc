#include "libsched/snapshot/made_descriptors.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

namespace rff {
namespace {

using unwatched::address;
using unwatched::call;

constexpr long kLarge = 0100000;  // O_LARGEFILE of the kernel

// They have a descriptor as their first argument.
constexpr long kUses[] = {
    SYS_read,       SYS_write,       SYS_readv,      SYS_writev,   SYS_pread64,    SYS_pwrite64,
    SYS_recvfrom,   SYS_sendto,      SYS_recvmsg,    SYS_sendmsg,  SYS_fstat,      SYS_newfstatat,
    SYS_ioctl,      SYS_lseek,       SYS_ftruncate,  SYS_shutdown, SYS_getsockopt, SYS_epoll_ctl,
    SYS_epoll_wait, SYS_epoll_pwait, SYS_getdents64, SYS_utimensat};
constexpr long kOthers[] = {SYS_pipe,          SYS_pipe2,        SYS_socketpair, SYS_eventfd2,
                            SYS_epoll_create1, SYS_memfd_create, SYS_dup,        SYS_dup2,
                            SYS_dup3,          SYS_fcntl,        SYS_close,      SYS_poll,
                            SYS_ppoll,         SYS_openat};

bool is_error(long result) { return result < 0 && result >= -4095; }

bool waits_not(long fd, short events) {
  pollfd p = {static_cast<int>(fd), events, 0};
  return call(SYS_poll, address(&p), 1, 0) == 1 || (call(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK) != 0;
}

// Messages may carry descriptors.
bool plain(long message) { return reinterpret_cast<const msghdr*>(message)->msg_controllen == 0; }

bool is_zero(long time) {
  auto* t = reinterpret_cast<const timespec*>(time);
  return t != nullptr && t->tv_sec == 0 && t->tv_nsec == 0;
}

}  // namespace

bool MadeDescriptors::knows(long number) { return is_in(kUses, number) || is_in(kOthers, number); }

bool MadeDescriptors::make(const CallMade& c, long* result) {
  const long* a = c.arguments;
  bool leaves_nothing = false;
  switch (c.number) {
    case SYS_pipe:
    case SYS_pipe2: return two(c, reinterpret_cast<const int*>(a[0]), result);
    case SYS_socketpair: return two(c, reinterpret_cast<const int*>(a[3]), result);
    case SYS_eventfd2:
    case SYS_epoll_create1:
    case SYS_memfd_create: return one(c, result);
    case SYS_openat: return open(c, result);
    case SYS_dup: return has(a[0]) && one(c, result);
    case SYS_dup2:
    case SYS_dup3: return duplicate(c, result);
    case SYS_fcntl: return control(c, result);
    case SYS_close: return close(c, result);
    case SYS_poll: leaves_nothing = a[2] == 0; break;
    case SYS_ppoll: leaves_nothing = is_zero(a[2]) && a[3] == 0; break;
    default: leaves_nothing = is_in(kUses, c.number) && has(a[0]) && harmless(c); break;
  }
  if (leaves_nothing) {
    *result = make_as_it_is(c);
  }
  return leaves_nothing;
}

bool MadeDescriptors::harmless(const CallMade& c) const {
  const long* a = c.arguments;
  switch (c.number) {
    case SYS_read:
    case SYS_readv: return waits_not(a[0], POLLIN);
    case SYS_write:
    case SYS_writev: return waits_not(a[0], POLLOUT);
    case SYS_recvfrom: return (a[3] & MSG_DONTWAIT) != 0 || waits_not(a[0], POLLIN);
    case SYS_sendto: return a[4] == 0 && ((a[3] & MSG_DONTWAIT) != 0 || waits_not(a[0], POLLOUT));
    case SYS_recvmsg: return plain(a[1]) && waits_not(a[0], POLLIN);
    case SYS_sendmsg: return plain(a[1]) && waits_not(a[0], POLLOUT);
    case SYS_ioctl: return a[1] == FIONREAD || a[1] == FIONBIO || a[1] == TCGETS;
    case SYS_utimensat: return a[1] == 0;  // the times of the descriptor itself
    case SYS_epoll_wait: return a[3] == 0;
    case SYS_epoll_pwait: return a[3] == 0 && a[4] == 0;
    default: return true;
  }
}

bool MadeDescriptors::one(const CallMade& c, long* result) {
  *result = make_as_it_is(c);
  if (is_error(*result)) {
    return true;
  }
  if (*result >= kEnd) {
    call(SYS_close, *result);
    return false;
  }
  open_.set(bit(*result));
  return true;
}

bool MadeDescriptors::two(const CallMade& c, const int* pair, long* result) {
  *result = make_as_it_is(c);
  if (is_error(*result)) {
    return true;
  }
  bool fit = pair[0] < kEnd && pair[1] < kEnd;
  for (int i = 0; i < 2; ++i) {
    if (fit) {
      open_.set(bit(pair[i]));
    } else {
      call(SYS_close, pair[i]);
    }
  }
  return fit;
}

// For reading: that leaves nothing, and does not wait, where there is a file or folder, or nothing.
bool MadeDescriptors::open(const CallMade& c, long* result) {
  const long* a = c.arguments;
  constexpr long kReads = O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY | O_NONBLOCK | O_NOCTTY | kLarge;
  struct stat s = {};
  bool reads = (a[2] & ~kReads) == O_RDONLY;
  bool there = reads && call(SYS_newfstatat, a[0], a[1], address(&s), 0) == 0;
  bool plain = !there || S_ISREG(s.st_mode) || S_ISDIR(s.st_mode);
  return reads && plain && one(c, result);
}

bool MadeDescriptors::duplicate(const CallMade& c, long* result) {
  long from = c.arguments[0], to = c.arguments[1];
  return has(from) && to >= 0 && to < kEnd && (has(to) || set_aside(to)) && one(c, result);
}

bool MadeDescriptors::set_aside(long number) {
  long flags = call(SYS_fcntl, number, F_GETFD);
  if (flags == -EBADF) {
    return true;
  }
  long copy = aside_count_ < kMostAside ? call(SYS_fcntl, number, F_DUPFD_CLOEXEC, kEnd) : -1;
  if (copy >= 0) {
    aside_[aside_count_++] = {number, copy, flags};
  }
  return copy >= 0;
}

bool MadeDescriptors::control(const CallMade& c, long* result) {
  if (!has(c.arguments[0])) {
    return false;
  }
  switch (c.arguments[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: return one(c, result);
    case F_GETFD:
    case F_SETFD:
    case F_GETFL:
    case F_SETFL: *result = make_as_it_is(c); return true;
    default: return false;
  }
}

bool MadeDescriptors::close(const CallMade& c, long* result) {
  long number = c.arguments[0];
  if (number >= kEnd || (number >= 0 && !has(number) && !set_aside(number))) {
    return false;
  }
  *result = make_as_it_is(c);
  if (number >= 0) {
    open_.reset(bit(number));
  }
  return true;
}

void MadeDescriptors::put_back() {
  for (std::size_t number = open_._Find_first(); number < open_.size();
       number = open_._Find_next(number)) {
    call(SYS_close, static_cast<long>(number));
  }
  open_.reset();
  while (aside_count_ > 0) {
    const Aside& a = aside_[--aside_count_];
    call(SYS_dup3, a.copy, a.number, (a.flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
    call(SYS_close, a.copy);
  }
}

void MadeDescriptors::retire() {
  while (aside_count_ > 0) {
    call(SYS_close, aside_[--aside_count_].copy);
  }
}

}  // namespace rff
