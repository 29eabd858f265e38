#include "libsched/interpose/time/timer_descriptor.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/files/outside.h"

namespace rff {

TimerDescriptor::TimerDescriptor(int counter, int clock, const void* caller)
    : VirtualTimer(caller), counter_(counter), clock_(clock) {}

int TimerDescriptor::settime(int flags, const itimerspec& value) {
  if (outside::ready(counter_, POLLIN)) {
    std::uint64_t old = 0;
    real::syscall6(SYS_read, counter_, reinterpret_cast<long>(&old), sizeof old);
  }
  bool stops = value.it_value.tv_sec == 0 && value.it_value.tv_nsec == 0;
  bool absolute = (flags & TFD_TIMER_ABSTIME) != 0;
  std::uint64_t at = stops      ? kNever
                     : absolute ? virtual_deadline(clock_, &value.it_value)
                                : virtual_after(value.it_value);
  set(at, nanoseconds(value.it_interval));
  return 0;
}

void TimerDescriptor::expired(std::uint64_t times) {
  real::syscall6(SYS_write, counter_, reinterpret_cast<long>(&times), sizeof times);
}

}  // namespace rff

using namespace rff;

namespace {

TimerDescriptor* timer_of(int fd) {
  Description* d = descriptions::find(fd);
  if (d == nullptr || d->timer == nullptr) {
    pollfd p{fd, 0, 0};
    real::syscall6(SYS_poll, reinterpret_cast<long>(&p), 1, 0);
    errno = (p.revents & POLLNVAL) != 0 ? EBADF : EINVAL;
    return nullptr;
  }
  return d->timer;
}

bool valid(const itimerspec& t) {
  return valid_nanoseconds(&t.it_value) && valid_nanoseconds(&t.it_interval) &&
         t.it_value.tv_sec >= 0 && t.it_interval.tv_sec >= 0;
}

void get(const TimerDescriptor& t, itimerspec* value) {
  value->it_value = to_timespec(t.left());
  value->it_interval = to_timespec(t.interval());
}

}  // namespace

RFF_EXPORT int timerfd_create(int clock, int flags) noexcept {
  if (!controlled()) {
    return RFF_REAL(timerfd_create)(clock, flags);
  }
  bool known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
               clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM;
  if (!known) {
    errno = EINVAL;
    return -1;
  }
  static_assert(int{TFD_NONBLOCK} == int{EFD_NONBLOCK} && int{TFD_CLOEXEC} == int{EFD_CLOEXEC});
  int fd = RFF_REAL(eventfd)(0, flags);
  if (fd >= 0) {
    Description& d = descriptions::made(fd, RFF_CALLER);
    d.internal = true;
    d.in = &descriptions::new_channel(RFF_CALLER);
    d.timer = new TimerDescriptor(fd, clock, RFF_CALLER);
  }
  return fd;
}

RFF_EXPORT int timerfd_settime(int fd, int flags, const itimerspec* value,
                               itimerspec* old) noexcept {
  if (!controlled()) {
    return RFF_REAL(timerfd_settime)(fd, flags, value, old);
  }
  TimerDescriptor* t = timer_of(fd);
  if (t == nullptr) {
    return -1;
  }
  if (!valid(*value)) {
    errno = EINVAL;
    return -1;
  }
  itimerspec before = {};
  get(*t, &before);
  t->settime(flags, *value);
  if (old != nullptr) {
    *old = before;
  }
  return 0;
}

RFF_EXPORT int timerfd_gettime(int fd, itimerspec* value) noexcept {
  if (!controlled()) {
    return RFF_REAL(timerfd_gettime)(fd, value);
  }
  TimerDescriptor* t = timer_of(fd);
  if (t != nullptr) {
    get(*t, value);
  }
  return t != nullptr ? 0 : -1;
}
