// Closing and duplicating descriptors. The runtime's own descriptors are hidden from the program.
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/files/file_locks.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/random.h"
#include "libsched/support/own_descriptors.h"

namespace rff {
namespace {

bool hidden(int fd) { return controlled() && own_descriptors::contains(fd); }

int not_open() {
  errno = EBADF;
  return -1;
}

// Call when the program is about to use the number for a descriptor of its own.
void make_room(int number) {
  if (hidden(number)) {
    own_descriptors::make_room(number);
    if (runtime->run.begun()) {
      runtime->process.sanitizer.begin_report();
    }
  }
}

int duplicate(int fd, int other) {
  if (controlled() && other >= 0) {
    descriptions::duplicated(fd, other);
  }
  return other;
}

// Older kernels have no system call for this.
int close_each(unsigned first, unsigned last) {
  long limit = sysconf(_SC_OPEN_MAX);
  last = std::min(last, limit > 0 ? static_cast<unsigned>(limit) : 1u << 16);
  for (unsigned fd = first; fd <= last; ++fd) {
    real::syscall6(SYS_close, fd);
  }
  return 0;
}

// Closes all descriptors of a range except the runtime's.
int close_all(unsigned first, unsigned last, int flags) {
  if (first > last) {
    errno = EINVAL;
    return -1;
  }
  long result = 0;
  for (unsigned from = first; result == 0; ++from) {
    unsigned ours = last;
    bool found = false;
    for (int use = 0; controlled() && use < own_descriptors::kUses; ++use) {
      auto fd = static_cast<unsigned>(own_descriptors::get(static_cast<own_descriptors::Use>(use)));
      if (fd >= from && fd <= ours && fd != ~0u) {
        ours = fd;
        found = true;
      }
    }
    if (!found || ours > from) {
      unsigned to = found ? ours - 1 : last;
      result = real::syscall6(SYS_close_range, from, to, flags);
      if (result == -ENOSYS && flags == 0) {
        result = close_each(from, to);
      }
    }
    if (!found || ours == last) {
      break;
    }
    from = ours;
  }
  if (result < 0) {
    errno = static_cast<int>(-result);
  }
  return result < 0 ? -1 : 0;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int close(int fd) {
  if (hidden(fd)) {
    return not_open();
  }
  closed_descriptor(fd);
  if (controlled()) {
    file_locks::will_close(fd, RFF_CALLER);
    descriptions::will_close(fd, RFF_CALLER);
    descriptions::closed(fd);
  }
  return RFF_REAL(close)(fd);
}

RFF_EXPORT int close_range(unsigned first, unsigned last, int flags) noexcept {
  if (flags == 0) {
    closed_descriptors(first, last);
    if (controlled()) {
      descriptions::closed(first, last);
    }
  }
  return close_all(first, last, flags);
}

RFF_EXPORT void closefrom(int first) noexcept {
  close_range(static_cast<unsigned>(std::max(first, 0)), ~0u, 0);
}

RFF_EXPORT int dup(int fd) noexcept {
  return hidden(fd) ? not_open() : duplicate(fd, RFF_REAL(dup)(fd));
}

RFF_EXPORT int dup2(int fd, int number) noexcept {
  if (hidden(fd)) {
    return not_open();
  }
  make_room(number);
  return duplicate(fd, RFF_REAL(dup2)(fd, number));
}

RFF_EXPORT int dup3(int fd, int number, int flags) noexcept {
  if (hidden(fd)) {
    return not_open();
  }
  make_room(number);
  return duplicate(fd, RFF_REAL(dup3)(fd, number, flags));
}
