// Functions that wait for child processes or for counters, and fcntl.
#include <fcntl.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/files/locking.h"
#include "libsched/interpose/files/outside.h"
#include "libsched/interpose/process/children.h"
#include "libsched/support/own_descriptors.h"

namespace rff {
namespace {

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

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int eventfd_read(int fd, eventfd_t* value) {
  return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

RFF_EXPORT int eventfd_write(int fd, eventfd_t value) {
  return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
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

namespace {

int control(int fd, int command, void* argument, const void* caller) {
  if (controlled() && own_descriptors::contains(fd)) {
    errno = EBADF;
    return -1;
  }
  if (is_lock_command(command)) {
    return control_lock(fd, command, argument, caller);
  }
  if (command == F_SETOWN || command == F_SETOWN_EX || command == F_SETSIG || command == F_NOTIFY) {
    descriptions::others_may_signal();
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
