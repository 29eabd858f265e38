// Functions that wait for several descriptors, for child processes, or for locks of files.
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libsched/interpose/files/outside.h"
#include "libsched/interpose/process/children.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/support/own_descriptors.h"

namespace rff {
namespace {

bool any_ready(pollfd* fds, nfds_t count) {
  return real::syscall6(SYS_poll, reinterpret_cast<long>(fds), static_cast<long>(count), 0) != 0;
}

bool select_ready(int count, const fd_set* in, const fd_set* out, const fd_set* except) {
  fd_set sets[3];
  const fd_set* given[3] = {in, out, except};
  long pointers[3] = {};
  for (int i = 0; i < 3; ++i) {
    if (given[i] != nullptr) {
      sets[i] = *given[i];
      pointers[i] = reinterpret_cast<long>(&sets[i]);
    }
  }
  timeval now = {0, 0};
  return real::syscall6(SYS_select, count, pointers[0], pointers[1], pointers[2],
                        reinterpret_cast<long>(&now)) != 0;
}

bool await_child(const char* name, pid_t pid, int options, const void* caller) {
  if (!watched()) {
    return true;
  }
  if ((options & WNOHANG) != 0) {
    children::settle();
    return true;
  }
  idtype_t which = pid == -1 ? P_ALL : pid > 0 ? P_PID : P_PGID;
  long who = pid < -1 ? -pid : pid > 0 ? pid : 0;
  auto ask = [&] {
    return children::ended(which, who, WEXITED | (options & (WUNTRACED | WCONTINUED)));
  };
  return outside::until(name, kNever, ask, caller);
}

// Waits for descriptors; sets another signal mask for its own lifetime.
class Waiting {
 public:
  explicit Waiting(const sigset_t* mask) : changed_(mask != nullptr), before_(signals::mask()) {
    if (changed_) {
      signals::set_mask(signals::to_set(*mask));
    }
  }
  ~Waiting() {
    if (changed_) {
      signals::set_mask(before_);
    }
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  template <typename Ask>
  bool until(const char* name, std::uint64_t deadline, Ask ask, const void* caller) {
    if (changed_ && signals::take(Interruption::kAlways)) {
      errno = EINTR;
      return false;
    }
    return outside::until(name, deadline, ask, caller, Interruption::kAlways);
  }

 private:
  bool changed_;
  signals::Set before_;
};

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int poll(pollfd* fds, nfds_t count, int timeout) {
  if (watched() && timeout != 0) {
    auto ask = [&] { return any_ready(fds, count); };
    if (!Waiting(nullptr).until("poll", outside::after_milliseconds(timeout), ask, RFF_CALLER)) {
      return -1;
    }
    timeout = 0;
  }
  return RFF_REAL(poll)(fds, count, timeout);
}

RFF_EXPORT int __poll_chk(pollfd* fds, nfds_t count, int timeout, std::size_t) {
  return poll(fds, count, timeout);
}

RFF_EXPORT int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  timespec none = {0, 0};
  if (watched() && (timeout == nullptr || timeout->tv_sec != 0 || timeout->tv_nsec != 0)) {
    auto ask = [&] { return any_ready(fds, count); };
    if (!Waiting(mask).until("ppoll", outside::after(timeout), ask, RFF_CALLER)) {
      return -1;
    }
    timeout = &none;
    mask = nullptr;
  }
  return RFF_REAL(ppoll)(fds, count, timeout, mask);
}

RFF_EXPORT int epoll_pwait(int fd, epoll_event* events, int most, int timeout,
                           const sigset_t* mask) {
  if (watched() && timeout != 0) {
    auto ask = [&] { return outside::ready(fd, POLLIN); };
    if (!Waiting(mask).until("epoll_wait", outside::after_milliseconds(timeout), ask, RFF_CALLER)) {
      return -1;
    }
    timeout = 0;
    mask = nullptr;
  }
  return RFF_REAL(epoll_pwait)(fd, events, most, timeout, mask);
}

RFF_EXPORT int epoll_wait(int fd, epoll_event* events, int most, int timeout) {
  return epoll_pwait(fd, events, most, timeout, nullptr);
}

RFF_EXPORT int epoll_pwait2(int fd, epoll_event* events, int most, const timespec* timeout,
                            const sigset_t* mask) {
  if (!controlled()) {
    return RFF_REAL(epoll_pwait2)(fd, events, most, timeout, mask);
  }
  if (watched() && (timeout == nullptr || timeout->tv_sec != 0 || timeout->tv_nsec != 0)) {
    auto ask = [&] { return outside::ready(fd, POLLIN); };
    if (!Waiting(mask).until("epoll_wait", outside::after(timeout), ask, RFF_CALLER)) {
      return -1;
    }
    return RFF_REAL(epoll_wait)(fd, events, most, 0);
  }
  constexpr int kMillisecond = 1'000'000;
  int rest = timeout == nullptr
                 ? -1
                 : static_cast<int>(timeout->tv_sec * 1000 +
                                    (timeout->tv_nsec + kMillisecond - 1) / kMillisecond);
  return RFF_REAL(epoll_pwait)(fd, events, most, rest, mask);
}

RFF_EXPORT int eventfd_read(int fd, eventfd_t* value) {
  return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

RFF_EXPORT int eventfd_write(int fd, eventfd_t value) {
  return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}

RFF_EXPORT int select(int count, fd_set* in, fd_set* out, fd_set* except, timeval* timeout) {
  timeval none = {0, 0};
  if (watched() && (timeout == nullptr || timeout->tv_sec != 0 || timeout->tv_usec != 0)) {
    timespec duration = {};
    if (timeout != nullptr) {
      duration = {timeout->tv_sec, timeout->tv_usec * 1000};
    }
    auto ask = [&] { return select_ready(count, in, out, except); };
    if (!Waiting(nullptr).until("select", outside::after(timeout == nullptr ? nullptr : &duration),
                                ask, RFF_CALLER)) {
      return -1;
    }
    timeout = &none;
  }
  return RFF_REAL(select)(count, in, out, except, timeout);
}

RFF_EXPORT int pselect(int count, fd_set* in, fd_set* out, fd_set* except, const timespec* timeout,
                       const sigset_t* mask) {
  timespec none = {0, 0};
  if (watched() && (timeout == nullptr || timeout->tv_sec != 0 || timeout->tv_nsec != 0)) {
    auto ask = [&] { return select_ready(count, in, out, except); };
    if (!Waiting(mask).until("pselect", outside::after(timeout), ask, RFF_CALLER)) {
      return -1;
    }
    timeout = &none;
    mask = nullptr;
  }
  return RFF_REAL(pselect)(count, in, out, except, timeout, mask);
}

RFF_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  return await_child("waitpid", pid, options, RFF_CALLER) ? RFF_REAL(waitpid)(pid, status, options)
                                                          : -1;
}

RFF_EXPORT pid_t wait(int* status) {
  return await_child("wait", -1, 0, RFF_CALLER) ? RFF_REAL(waitpid)(-1, status, 0) : -1;
}

RFF_EXPORT pid_t wait3(int* status, int options, rusage* usage) noexcept {
  return await_child("wait3", -1, options, RFF_CALLER) ? RFF_REAL(wait3)(status, options, usage)
                                                       : -1;
}

RFF_EXPORT pid_t wait4(pid_t pid, int* status, int options, rusage* usage) noexcept {
  return await_child("wait4", pid, options, RFF_CALLER)
             ? RFF_REAL(wait4)(pid, status, options, usage)
             : -1;
}

RFF_EXPORT int waitid(idtype_t which, id_t who, siginfo_t* info, int options) {
  if (watched()) {
    children::settle();
    auto ask = [&] { return children::ended(which, who, options); };
    if ((options & WNOHANG) == 0 && !outside::until("waitid", kNever, ask, RFF_CALLER)) {
      return -1;
    }
  }
  return RFF_REAL(waitid)(which, who, info, options);
}

RFF_EXPORT int flock(int fd, int operation) noexcept {
  if (!watched() || (operation & (LOCK_NB | LOCK_UN)) != 0) {
    return RFF_REAL(flock)(fd, operation);
  }
  return outside::retry(
      "flock", EWOULDBLOCK, EWOULDBLOCK, [&] { return RFF_REAL(flock)(fd, operation | LOCK_NB); },
      RFF_CALLER);
}

namespace {

int set_lock(int fd, int command, void* lock, const void* caller) {
  int try_only = command == F_OFD_SETLKW ? F_OFD_SETLK : F_SETLK;
  return outside::retry(
      "fcntl(F_SETLKW)", EAGAIN, EACCES, [&] { return RFF_REAL(fcntl)(fd, try_only, lock); },
      caller);
}

int control(int fd, int command, void* argument, const void* caller) {
  if (controlled() && own_descriptors::contains(fd)) {
    errno = EBADF;
    return -1;
  }
  if (watched() && (command == F_SETLKW || command == F_OFD_SETLKW)) {
    return set_lock(fd, command, argument, caller);
  }
  return RFF_REAL(fcntl)(fd, command, argument);
}

}  // namespace

RFF_EXPORT int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  return control(fd, command, argument, RFF_CALLER);
}

RFF_EXPORT int fcntl64(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  return control(fd, command, argument, RFF_CALLER);
}

RFF_EXPORT int lockf(int fd, int command, off_t length) {
  if (!watched() || command != F_LOCK) {
    return RFF_REAL(lockf)(fd, command, length);
  }
  return outside::retry(
      "lockf", EAGAIN, EACCES, [&] { return RFF_REAL(lockf)(fd, F_TLOCK, length); }, RFF_CALLER);
}
