// The functions poll and select, and their variants.
#include <fcntl.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/syscall.h>

#include <algorithm>
#include <optional>

#include "libsched/interpose/descriptors/polling.h"
#include "libsched/interpose/files/descriptor_waits.h"

namespace rff {
namespace {

constexpr short kEverything = ~short{0};
// What the kernel counts for each set of select.
constexpr short kIn = POLLIN | POLLRDNORM | POLLRDBAND;
constexpr short kOut = POLLOUT | POLLWRNORM | POLLWRBAND;
constexpr short kCountsForIn = kIn | POLLHUP | POLLERR;
constexpr short kCountsForOut = kOut | POLLERR;

// How long a call may wait.
struct Limit {
  bool polls = false;  // not at all
  std::uint64_t deadline = kNever;
};

Limit limit_of(const timespec* timeout) {
  bool polls = timeout != nullptr && timeout->tv_sec == 0 && timeout->tv_nsec == 0;
  return {polls, outside::after(timeout)};
}

bool valid(const timespec* timeout) {
  return timeout == nullptr || (timeout->tv_sec >= 0 && valid_nanoseconds(timeout));
}

// Whether the wait has steps. A thread that is alone begins its run if it would have to wait.
bool has_steps(const Polling& polling, bool polls) {
  if (watched()) {
    return true;
  }
  if (polls || polling.any_ready()) {
    return false;
  }
  runtime->start_run();
  return true;
}

// The same, by a signal mask of its own if one is given.
bool wait(Polling& polling, const Limit& limit, const sigset_t* mask) {
  DescriptorWait waiting(mask);
  return !waiting.interrupted_at_once() && polling.wait(limit.polls, limit.deadline);
}

// Returns nothing if the kernel's own call does what is needed, now.
std::optional<int> poll_in_steps(const char* name, pollfd* fds, nfds_t count, const Limit& limit,
                                 const sigset_t* mask, const void* caller) {
  if (real::syscall6(SYS_poll, reinterpret_cast<long>(fds), static_cast<long>(count), 0) < 0) {
    return {};
  }
  Polling polling(name, caller);
  for (nfds_t i = 0; i < count; ++i) {
    polling.add({fds[i].fd, fds[i].events, kEverything});
  }
  if (!has_steps(polling, limit.polls)) {
    return {};
  }
  if (!wait(polling, limit, mask)) {
    return -1;
  }
  int ready = 0;
  for (nfds_t i = 0; i < count; ++i) {
    fds[i].revents = polling.items()[i].found;
    ready += fds[i].revents != 0;
  }
  return ready;
}

struct Sets {
  fd_set* in;
  fd_set* out;
  fd_set* except;
};

bool is_in(const fd_set* set, int fd) { return set != nullptr && FD_ISSET(fd, set); }

// Returns whether the descriptor stays in the set.
bool keep(fd_set* set, int fd, bool ready) {
  if (!is_in(set, fd)) {
    return false;
  }
  if (!ready) {
    FD_CLR(fd, set);
  }
  return ready;
}

// A descriptor that is not open is an error of select.
bool all_open(const Polling& polling) {
  return std::all_of(polling.items().begin(), polling.items().end(), [](const auto& item) {
    return real::syscall6(SYS_fcntl, item.fd, F_GETFD) >= 0;
  });
}

std::optional<int> select_in_steps(const char* name, int count, const Sets& sets,
                                   const Limit& limit, const sigset_t* mask, const void* caller) {
  Polling polling(name, caller);
  for (int fd = 0; fd < count; ++fd) {
    bool in = is_in(sets.in, fd), out = is_in(sets.out, fd), except = is_in(sets.except, fd);
    if (in || out || except) {
      int events = (in ? kIn : 0) | (out ? kOut : 0) | (except ? POLLPRI : 0);
      int counts = (in ? kCountsForIn : 0) | (out ? kCountsForOut : 0) | (except ? POLLPRI : 0);
      polling.add({fd, static_cast<short>(events), static_cast<short>(counts)});
    }
  }
  if (count < 0 || !all_open(polling) || !has_steps(polling, limit.polls)) {
    return {};
  }
  if (!wait(polling, limit, mask)) {
    return -1;
  }
  int ready = 0;
  for (const Polling::Item& item : polling.items()) {
    ready += keep(sets.in, item.fd, (item.found & kCountsForIn) != 0);
    ready += keep(sets.out, item.fd, (item.found & kCountsForOut) != 0);
    ready += keep(sets.except, item.fd, (item.found & POLLPRI) != 0);
  }
  return ready;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int poll(pollfd* fds, nfds_t count, int timeout) {
  if (controlled()) {
    Limit limit = {timeout == 0, outside::after_milliseconds(timeout)};
    if (auto ready = poll_in_steps("poll", fds, count, limit, nullptr, RFF_CALLER)) {
      return *ready;
    }
  }
  return RFF_REAL(poll)(fds, count, timeout);
}

RFF_EXPORT int __poll_chk(pollfd* fds, nfds_t count, int timeout, std::size_t) {
  return poll(fds, count, timeout);
}

RFF_EXPORT int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  if (controlled() && valid(timeout)) {
    if (auto ready = poll_in_steps("ppoll", fds, count, limit_of(timeout), mask, RFF_CALLER)) {
      return *ready;
    }
  }
  return RFF_REAL(ppoll)(fds, count, timeout, mask);
}

RFF_EXPORT int __ppoll_chk(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask,
                           std::size_t) {
  return ppoll(fds, count, timeout, mask);
}

RFF_EXPORT int select(int count, fd_set* in, fd_set* out, fd_set* except, timeval* timeout) {
  if (controlled() && (timeout == nullptr || (timeout->tv_sec >= 0 && timeout->tv_usec >= 0))) {
    timespec duration = {};
    if (timeout != nullptr) {
      duration = {timeout->tv_sec + timeout->tv_usec / 1'000'000,
                  timeout->tv_usec % 1'000'000 * 1000};
    }
    Limit limit = limit_of(timeout == nullptr ? nullptr : &duration);
    if (auto ready =
            select_in_steps("select", count, {in, out, except}, limit, nullptr, RFF_CALLER)) {
      return *ready;
    }
    timeval none = {};  // the kernel would tell how much time is left
    return RFF_REAL(select)(count, in, out, except, &none);
  }
  return RFF_REAL(select)(count, in, out, except, timeout);
}

RFF_EXPORT int pselect(int count, fd_set* in, fd_set* out, fd_set* except, const timespec* timeout,
                       const sigset_t* mask) {
  if (controlled() && valid(timeout)) {
    if (auto ready = select_in_steps("pselect", count, {in, out, except}, limit_of(timeout), mask,
                                     RFF_CALLER)) {
      return *ready;
    }
  }
  return RFF_REAL(pselect)(count, in, out, except, timeout, mask);
}
