// Calls that may wait for something outside the process: descriptors, children, file locks.
//
// This is the place where the world around threads will be modelled. Until then such a call waits
// as a pending operation that is enabled when the kernel would not block: the other threads go on
// meanwhile, and if nobody else can run the process really waits. It is never called a deadlock,
// the run is marked, and the call is named in the report.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

struct Descriptor {
  int fd;
  short events;
};

bool descriptor_ready(const Operation& op) {
  auto* d = static_cast<Descriptor*>(op.state);
  pollfd p{d->fd, d->events, 0};
  return real::syscall6(SYS_poll, reinterpret_cast<long>(&p), 1, 0) != 0;
}

constexpr WaitRule kDescriptorReady = {descriptor_ready, nullptr, "a descriptor to be ready"};

void perform(const char* name, const WaitRule& rule, void* state, std::uint64_t deadline,
             const void* caller) {
  runtime->unmodelled(name);
  cancellation_point();
  Operation op = operation(OpKind::kSyscall, nullptr, caller);
  op.waits_for = &rule;
  op.state = state;
  op.deadline = deadline;
  op.external = true;
  op.cancellable = true;
  runtime->execution.perform(op);
  if (was_cancelled(op)) {
    act_on_cancellation();
  }
  runtime->execution.progress();
  if (runtime->shared != nullptr) {
    runtime->shared->run.flags |= kTouchedOutside;
  }
}

// Regular files never make anybody wait, and a descriptor that does not block says so itself.
bool may_block(int fd) {
  struct stat s;
  if (fstat(fd, &s) != 0 || S_ISREG(s.st_mode) || S_ISDIR(s.st_mode) || S_ISBLK(s.st_mode)) {
    return false;
  }
  long flags = real::syscall6(SYS_fcntl, fd, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

void await(const char* name, int fd, short events, const void* caller) {
  if (watched() && may_block(fd)) {
    Descriptor d{fd, events};
    perform(name, kDescriptorReady, &d, kNever, caller);
  }
}

// For calls that can be asked without waiting: `ask` says whether the real call would return at
// once.
template <typename Ask>
void await_until(const char* name, std::uint64_t deadline, Ask ask, const void* caller) {
  constexpr static WaitRule kRule = {
      [](const Operation& op) { return (*static_cast<Ask*>(op.state))(); }, nullptr,
      "something outside the process"};
  perform(name, kRule, &ask, deadline, caller);
}

std::uint64_t after_milliseconds(int ms) {
  return ms < 0 ? kNever : runtime->now + static_cast<std::uint64_t>(ms) * 1'000'000;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT ssize_t read(int fd, void* to, std::size_t n) {
  await("read", fd, POLLIN, RFF_CALLER);
  return RFF_REAL(read)(fd, to, n);
}

RFF_EXPORT ssize_t readv(int fd, const iovec* parts, int count) {
  await("readv", fd, POLLIN, RFF_CALLER);
  return RFF_REAL(readv)(fd, parts, count);
}

RFF_EXPORT ssize_t write(int fd, const void* from, std::size_t n) {
  if (fd > STDERR_FILENO) {
    await("write", fd, POLLOUT, RFF_CALLER);
  }
  return RFF_REAL(write)(fd, from, n);
}

RFF_EXPORT ssize_t recv(int fd, void* to, std::size_t n, int flags) {
  if ((flags & MSG_DONTWAIT) == 0) {
    await("recv", fd, POLLIN, RFF_CALLER);
  }
  return RFF_REAL(recv)(fd, to, n, flags);
}

RFF_EXPORT ssize_t recvfrom(int fd, void* to, std::size_t n, int flags, sockaddr* from,
                            socklen_t* size) {
  if ((flags & MSG_DONTWAIT) == 0) {
    await("recvfrom", fd, POLLIN, RFF_CALLER);
  }
  return RFF_REAL(recvfrom)(fd, to, n, flags, from, size);
}

RFF_EXPORT ssize_t recvmsg(int fd, msghdr* message, int flags) {
  if ((flags & MSG_DONTWAIT) == 0) {
    await("recvmsg", fd, POLLIN, RFF_CALLER);
  }
  return RFF_REAL(recvmsg)(fd, message, flags);
}

RFF_EXPORT ssize_t send(int fd, const void* from, std::size_t n, int flags) {
  if ((flags & MSG_DONTWAIT) == 0) {
    await("send", fd, POLLOUT, RFF_CALLER);
  }
  return RFF_REAL(send)(fd, from, n, flags);
}

RFF_EXPORT int accept(int fd, sockaddr* from, socklen_t* size) {
  await("accept", fd, POLLIN, RFF_CALLER);
  return RFF_REAL(accept)(fd, from, size);
}

RFF_EXPORT int accept4(int fd, sockaddr* from, socklen_t* size, int flags) {
  await("accept4", fd, POLLIN, RFF_CALLER);
  return RFF_REAL(accept4)(fd, from, size, flags);
}

RFF_EXPORT int poll(pollfd* fds, nfds_t count, int timeout) {
  if (watched() && timeout != 0) {
    auto ask = [&] {
      return real::syscall6(SYS_poll, reinterpret_cast<long>(fds), static_cast<long>(count), 0) !=
             0;
    };
    await_until("poll", after_milliseconds(timeout), ask, RFF_CALLER);
    timeout = 0;
  }
  return RFF_REAL(poll)(fds, count, timeout);
}

RFF_EXPORT int epoll_wait(int fd, epoll_event* events, int most, int timeout) {
  if (watched() && timeout != 0) {
    Descriptor d{fd, POLLIN};
    perform("epoll_wait", kDescriptorReady, &d, after_milliseconds(timeout), RFF_CALLER);
    timeout = 0;
  }
  return RFF_REAL(epoll_wait)(fd, events, most, timeout);
}

RFF_EXPORT int select(int count, fd_set* in, fd_set* out, fd_set* except, timeval* timeout) {
  timeval none = {0, 0};
  if (watched() && (timeout == nullptr || timeout->tv_sec != 0 || timeout->tv_usec != 0)) {
    std::uint64_t deadline = timeout == nullptr
                                 ? kNever
                                 : runtime->now +
                                       static_cast<std::uint64_t>(timeout->tv_sec) * 1'000'000'000 +
                                       static_cast<std::uint64_t>(timeout->tv_usec) * 1000;
    auto ask = [&] {
      fd_set sets[3];
      fd_set* given[3] = {in, out, except};
      for (int i = 0; i < 3; ++i) {
        if (given[i] != nullptr) {
          sets[i] = *given[i];
        }
      }
      timeval now = {0, 0};
      return real::syscall6(SYS_select, count,
                            reinterpret_cast<long>(in != nullptr ? &sets[0] : nullptr),
                            reinterpret_cast<long>(out != nullptr ? &sets[1] : nullptr),
                            reinterpret_cast<long>(except != nullptr ? &sets[2] : nullptr),
                            reinterpret_cast<long>(&now)) != 0;
    };
    await_until("select", deadline, ask, RFF_CALLER);
    timeout = &none;
  }
  return RFF_REAL(select)(count, in, out, except, timeout);
}

RFF_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  if (watched() && (options & WNOHANG) == 0) {
    auto ask = [&] {
      siginfo_t info = {};
      int which = pid == -1 ? P_ALL : pid > 0 ? P_PID : P_PGID;
      long who = pid < -1 ? -pid : pid > 0 ? pid : 0;
      long result = real::syscall6(SYS_waitid, which, who, reinterpret_cast<long>(&info),
                                   WEXITED | WNOHANG | WNOWAIT);
      return result != 0 || info.si_pid != 0;
    };
    await_until("waitpid", kNever, ask, RFF_CALLER);
  }
  return RFF_REAL(waitpid)(pid, status, options);
}

RFF_EXPORT pid_t wait(int* status) { return waitpid(-1, status, 0); }

RFF_EXPORT int flock(int fd, int operation) noexcept {
  if (watched() && (operation & LOCK_NB) == 0 && (operation & LOCK_UN) == 0) {
    // Taken while asking.
    bool taken = false;
    auto ask = [&] {
      taken = taken || real::syscall6(SYS_flock, fd, operation | LOCK_NB) != -EWOULDBLOCK;
      return taken;
    };
    await_until("flock", kNever, ask, RFF_CALLER);
    if (taken) {
      return RFF_REAL(flock)(fd, operation | LOCK_NB);  // once more, for its result
    }
  }
  return RFF_REAL(flock)(fd, operation);
}
