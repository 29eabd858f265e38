// The functions of epoll.
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "libsched/interpose/descriptors/epoll.h"
#include "libsched/interpose/files/descriptor_waits.h"

namespace rff {
namespace {

Epoll* epoll_of(int fd) {
  Description* d = descriptions::find(fd);
  return d != nullptr ? d->epoll : nullptr;
}

int made(int fd, const void* caller) {
  if (controlled() && fd >= 0) {
    Description& d = descriptions::made(fd, caller);
    d.internal = true;
    d.epoll = new Epoll(fd, d.place);
  }
  return fd;
}

bool valid(const epoll_event* events, int most) {
  errno = events == nullptr ? EFAULT : EINVAL;
  return most > 0 && events != nullptr;
}

// Waits in a process that is not under control. The kernel knows the entries by their address.
int wait_for_real(int fd, epoll_event* events, int most, int timeout, const sigset_t* mask) {
  int n = RFF_REAL(epoll_pwait)(fd, events, most, timeout, mask);
  if (epoll_of(fd) != nullptr) {
    Epoll::translate(events, n);
  }
  return n;
}

int wait(int fd, epoll_event* events, int most, bool polls, std::uint64_t deadline,
         const sigset_t* mask, const void* caller) {
  Epoll* epoll = epoll_of(fd);
  if (epoll == nullptr || !valid(events, most)) {
    return RFF_REAL(epoll_pwait)(fd, events, most, 0, nullptr);
  }
  DescriptorWait waiting(mask);
  return waiting.interrupted_at_once() ? -1 : epoll->wait(events, most, polls, deadline, caller);
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int epoll_create(int size) noexcept {
  return made(RFF_REAL(epoll_create)(size), RFF_CALLER);
}

RFF_EXPORT int epoll_create1(int flags) noexcept {
  return made(RFF_REAL(epoll_create1)(flags), RFF_CALLER);
}

RFF_EXPORT int epoll_ctl(int fd, int command, int other, epoll_event* event) noexcept {
  Epoll* epoll = controlled() ? epoll_of(fd) : nullptr;
  if (epoll == nullptr || (command != EPOLL_CTL_DEL && event == nullptr)) {
    return RFF_REAL(epoll_ctl)(fd, command, other, event);
  }
  switch (command) {
    case EPOLL_CTL_ADD: return epoll->add(other, *event, RFF_CALLER);
    case EPOLL_CTL_MOD: return epoll->change(other, *event);
    case EPOLL_CTL_DEL: return epoll->remove(other);
    default: return RFF_REAL(epoll_ctl)(fd, command, other, event);
  }
}

RFF_EXPORT int epoll_pwait(int fd, epoll_event* events, int most, int timeout,
                           const sigset_t* mask) {
  if (!controlled()) {
    return wait_for_real(fd, events, most, timeout, mask);
  }
  runtime->start_run();
  return wait(fd, events, most, timeout == 0, outside::after_milliseconds(timeout), mask,
              RFF_CALLER);
}

RFF_EXPORT int epoll_wait(int fd, epoll_event* events, int most, int timeout) {
  if (!controlled()) {
    return wait_for_real(fd, events, most, timeout, nullptr);
  }
  runtime->start_run();
  return wait(fd, events, most, timeout == 0, outside::after_milliseconds(timeout), nullptr,
              RFF_CALLER);
}

RFF_EXPORT int epoll_pwait2(int fd, epoll_event* events, int most, const timespec* timeout,
                            const sigset_t* mask) {
  constexpr int kMillisecond = 1'000'000;
  if (!controlled()) {
    int rest = timeout == nullptr
                   ? -1
                   : static_cast<int>(timeout->tv_sec * 1000 +
                                      (timeout->tv_nsec + kMillisecond - 1) / kMillisecond);
    return wait_for_real(fd, events, most, rest, mask);
  }
  runtime->start_run();
  bool polls = timeout != nullptr && timeout->tv_sec == 0 && timeout->tv_nsec == 0;
  return wait(fd, events, most, polls, outside::after(timeout), mask, RFF_CALLER);
}
