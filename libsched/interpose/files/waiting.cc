// Functions that wait for several descriptors, for child processes, or for locks of files.
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/files/descriptor_waits.h"
#include "libsched/interpose/process/children.h"
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

// Waits until `ask` returns true, by a signal mask of its own if one is given. `internal`: only the
// program itself can end the wait. Returns false, with errno set, if a signal ended it.
template <typename Ask>
bool wait_for_several(const char* name, const sigset_t* mask, std::uint64_t deadline, bool internal,
                      Ask ask, const void* caller) {
  DescriptorWait waiting(mask);
  if (waiting.interrupted_at_once()) {
    return false;
  }
  bool went_on = outside::until(name, deadline, ask, caller, Interruption::kAlways, internal);
  runtime->run.accesses.sharing.order.begin_turn(runtime->run.execution.current());
  return went_on;
}

bool are_internal(const pollfd* fds, nfds_t count) {
  return !descriptions::awaits_signals() && std::all_of(fds, fds + count, [](const pollfd& p) {
    return p.fd < 0 || descriptions::internal(p.fd);
  });
}

bool are_internal(int count, const fd_set* in, const fd_set* out, const fd_set* except) {
  for (int fd = 0; fd < count; ++fd) {
    for (const fd_set* set : {in, out, except}) {
      if (set != nullptr && FD_ISSET(fd, set) && !descriptions::internal(fd)) {
        return false;
      }
    }
  }
  return !descriptions::awaits_signals();
}

// Whether a wait is a step: a thread that is alone begins its run if it would have to wait.
template <typename Ask>
bool is_step(Ask ask) {
  if (controlled() && !runtime->run.begun() && !ask()) {
    runtime->start_run();
  }
  return controlled() && runtime->run.begun();
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int poll(pollfd* fds, nfds_t count, int timeout) {
  auto ask = [&] { return any_ready(fds, count); };
  if (timeout != 0 && is_step(ask)) {
    if (!wait_for_several("poll", nullptr, outside::after_milliseconds(timeout),
                          are_internal(fds, count), ask, RFF_CALLER)) {
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
  auto ask = [&] { return any_ready(fds, count); };
  if ((timeout == nullptr || timeout->tv_sec != 0 || timeout->tv_nsec != 0) && is_step(ask)) {
    if (!wait_for_several("ppoll", mask, outside::after(timeout), are_internal(fds, count), ask,
                          RFF_CALLER)) {
      return -1;
    }
    timeout = &none;
    mask = nullptr;
  }
  return RFF_REAL(ppoll)(fds, count, timeout, mask);
}

RFF_EXPORT int eventfd_read(int fd, eventfd_t* value) {
  return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

RFF_EXPORT int eventfd_write(int fd, eventfd_t value) {
  return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}

RFF_EXPORT int select(int count, fd_set* in, fd_set* out, fd_set* except, timeval* timeout) {
  timeval none = {0, 0};
  auto ask = [&] { return select_ready(count, in, out, except); };
  if ((timeout == nullptr || timeout->tv_sec != 0 || timeout->tv_usec != 0) && is_step(ask)) {
    timespec duration = {};
    if (timeout != nullptr) {
      duration = {timeout->tv_sec, timeout->tv_usec * 1000};
    }
    if (!wait_for_several("select", nullptr,
                          outside::after(timeout == nullptr ? nullptr : &duration),
                          are_internal(count, in, out, except), ask, RFF_CALLER)) {
      return -1;
    }
    timeout = &none;
  }
  return RFF_REAL(select)(count, in, out, except, timeout);
}

RFF_EXPORT int pselect(int count, fd_set* in, fd_set* out, fd_set* except, const timespec* timeout,
                       const sigset_t* mask) {
  timespec none = {0, 0};
  auto ask = [&] { return select_ready(count, in, out, except); };
  if ((timeout == nullptr || timeout->tv_sec != 0 || timeout->tv_nsec != 0) && is_step(ask)) {
    if (!wait_for_several("pselect", mask, outside::after(timeout),
                          are_internal(count, in, out, except), ask, RFF_CALLER)) {
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
  int result = RFF_REAL(fcntl)(fd, command, argument);
  if (controlled() && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) {
    descriptions::duplicated(fd, result);
  }
  return result;
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
