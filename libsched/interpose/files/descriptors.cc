// Functions that read and write through descriptors. Only the calling thread waits, not all others.
#include "libsched/interpose/files/descriptors.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/files/outside.h"
#include "libsched/interpose/process/random.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/process/output_tee.h"
#include "libsched/snapshot/unwatched.h"

namespace rff {
namespace {

// A pipe that is ready for writing accepts this many bytes without blocking.
constexpr std::size_t kPart = 4096;

bool keeps_boundaries(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type != SOCK_STREAM;
}

// Writes everything, in parts that do not block: the reader may be another thread of the program.
// A call that does not wait is made once.
template <typename Write>
ssize_t write_all(const char* name, int fd, std::size_t n, bool waits, Write write,
                  const void* caller) {
  if (!waits || !outside::may_block(fd)) {
    bool went_on = outside::await(name, fd, POLLOUT, caller, Interruption::kNone, false);
    return went_on ? write(0, n) : -1;
  }
  std::size_t part = keeps_boundaries(fd) ? n : kPart;
  std::size_t done = 0;
  do {
    if (!outside::await(name, fd, POLLOUT, caller)) {
      return done > 0 ? static_cast<ssize_t>(done) : -1;
    }
    ssize_t written = write(done, std::min(part, n - done));
    if (written < 0) {
      if (errno == EAGAIN) {
        continue;  // the socket accepted less than poll promised
      }
      return done > 0 ? static_cast<ssize_t>(done) : written;
    }
    done += static_cast<std::size_t>(written);
  } while (done < n);
  return static_cast<ssize_t>(done);
}

bool writes_outside(int fd) {
  return descriptions::internal(fd) || (watched() && fd > STDERR_FILENO && outside::may_block(fd));
}

// Copies the program's output if the user has asked for it.
template <typename... What>
void says(int fd, What... what) {
  if (controlled()) {
    output_tee::writes(fd, what...);
  }
}

// Whoever receives a descriptor may be another process.
void note_passed_descriptors(const msghdr& message) {
  for (const cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr;
       c = CMSG_NXTHDR(const_cast<msghdr*>(&message), const_cast<cmsghdr*>(c))) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
      const unsigned char* at = CMSG_DATA(c);
      for (std::size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); n > 0; --n) {
        int fd = -1;
        std::memcpy(&fd, at, sizeof fd);
        descriptions::shared_with_others(fd);
        at += sizeof fd;
      }
    }
  }
}

// A call that has a descriptor, bytes and their number as its arguments.
ssize_t transfer(long number, int fd, const void* bytes, std::size_t n) {
  auto make = descriptions::ends_with_run(fd) ? unwatched::call : real::syscall6;
  long result = make(number, fd, unwatched::address(bytes), static_cast<long>(n), 0, 0, 0);
  if (result < 0) {
    errno = static_cast<int>(-result);
  }
  return result < 0 ? -1 : result;
}

constexpr Interruption kByHandlers = Interruption::kUnlessRestarted;

std::size_t bytes_of(const iovec* parts, std::size_t count) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bytes += parts[i].iov_len;
  }
  return bytes;
}

bool may_wait(int flags) { return (flags & MSG_DONTWAIT) == 0; }

// Whether the descriptor's calls are steps or may wait.
bool matters(int fd, int flags) {
  return controlled() &&
         (descriptions::internal(fd) || (watched() && may_wait(flags) && outside::may_block(fd)));
}

// Urgent bytes overtake others.
void note_received(int fd, std::size_t wanted, ssize_t got, int flags) {
  if ((flags & MSG_OOB) != 0) {
    descriptions::lose_track(fd);
  }
  descriptions::received(fd, wanted, got, (flags & MSG_PEEK) != 0);
}

// A call that wants all of its bytes waits for each part of them.
ssize_t receive(const char* name, int fd, void* to, std::size_t n, int flags, sockaddr* from,
                socklen_t* size, const void* caller) {
  bool wants_all = (flags & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL && !keeps_boundaries(fd);
  std::size_t done = 0;
  for (;;) {
    if (matters(fd, flags) &&
        !outside::await(name, fd, POLLIN, caller, kByHandlers, may_wait(flags), n - done)) {
      return done > 0 ? static_cast<ssize_t>(done) : -1;
    }
    bool in_parts = wants_all && matters(fd, flags) && outside::may_block(fd);
    ssize_t got = RFF_REAL(recvfrom)(fd, static_cast<char*>(to) + done, n - done,
                                     in_parts ? flags & ~MSG_WAITALL : flags, from, size);
    note_received(fd, n - done, got, flags);
    if (got <= 0) {
      return done > 0 ? static_cast<ssize_t>(done) : got;
    }
    done += static_cast<std::size_t>(got);
    if (!in_parts || done == n) {
      return static_cast<ssize_t>(done);
    }
  }
}

}  // namespace

ssize_t read_descriptor(int fd, void* to, std::size_t n, const void* caller) {
  if (reads_random_device(fd)) {
    fill_random(to, n);
    return static_cast<ssize_t>(n);
  }
  if (!outside::await("read", fd, POLLIN, caller, kByHandlers, true, n)) {
    return -1;
  }
  ssize_t got = controlled() && descriptions::internal(fd) ? transfer(SYS_read, fd, to, n)
                                                           : RFF_REAL(read)(fd, to, n);
  descriptions::received(fd, n, got);
  const Description* d = controlled() ? descriptions::find(fd) : nullptr;
  if (got > 0 && d != nullptr && d->signals != 0) {
    signals::rename_process(static_cast<signalfd_siginfo*>(to),
                            static_cast<std::size_t>(got) / sizeof(signalfd_siginfo));
  }
  return got;
}

ssize_t write_descriptor(int fd, const void* from, std::size_t n, const void* caller) {
  if (!writes_outside(fd)) {
    return RFF_REAL(write)(fd, from, n);
  }
  return write_all(
      "write", fd, n, true,
      [&](std::size_t at, std::size_t part) {
        descriptions::Delivery delivery(fd);
        const char* bytes = static_cast<const char*>(from) + at;
        return delivery.sent(controlled() && descriptions::internal(fd)
                                 ? transfer(SYS_write, fd, bytes, part)
                                 : RFF_REAL(write)(fd, bytes, part));
      },
      caller);
}

bool print_to_descriptor(int fd, const char* text, std::size_t n, const void* caller) {
  says(fd, text, n);
  while (n > 0) {
    ssize_t written = write_descriptor(fd, text, n, caller);
    if (written < 0) {
      return false;
    }
    text += written;
    n -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace rff

using namespace rff;

RFF_EXPORT ssize_t read(int fd, void* to, std::size_t n) {
  return read_descriptor(fd, to, n, RFF_CALLER);
}

RFF_EXPORT ssize_t __read_chk(int fd, void* to, std::size_t n, std::size_t room) {
  RFF_CHECK(n <= room);
  return read(fd, to, n);
}

RFF_EXPORT ssize_t readv(int fd, const iovec* parts, int count) {
  std::size_t wanted = controlled() && descriptions::internal(fd)
                           ? bytes_of(parts, static_cast<std::size_t>(std::max(count, 0)))
                           : 0;
  if (!outside::await("readv", fd, POLLIN, RFF_CALLER, kByHandlers, true, wanted)) {
    return -1;
  }
  ssize_t got = RFF_REAL(readv)(fd, parts, count);
  descriptions::received(fd, wanted, got);
  return got;
}

RFF_EXPORT ssize_t write(int fd, const void* from, std::size_t n) {
  says(fd, from, n);
  return write_descriptor(fd, from, n, RFF_CALLER);
}

RFF_EXPORT ssize_t writev(int fd, const iovec* parts, int count) {
  says(fd, parts, count);
  if (writes_outside(fd) && !outside::await("writev", fd, POLLOUT, RFF_CALLER)) {
    return -1;
  }
  descriptions::Delivery delivery(fd);
  return delivery.sent(RFF_REAL(writev)(fd, parts, count));
}

RFF_EXPORT ssize_t recv(int fd, void* to, std::size_t n, int flags) {
  return receive("recv", fd, to, n, flags, nullptr, nullptr, RFF_CALLER);
}

RFF_EXPORT ssize_t recvfrom(int fd, void* to, std::size_t n, int flags, sockaddr* from,
                            socklen_t* size) {
  return receive("recvfrom", fd, to, n, flags, from, size, RFF_CALLER);
}

RFF_EXPORT ssize_t recvmsg(int fd, msghdr* message, int flags) {
  bool follows = matters(fd, flags);
  std::size_t wanted = follows ? bytes_of(message->msg_iov, message->msg_iovlen) : 0;
  if (follows &&
      !outside::await("recvmsg", fd, POLLIN, RFF_CALLER, kByHandlers, may_wait(flags), wanted)) {
    return -1;
  }
  ssize_t got = RFF_REAL(recvmsg)(fd, message, flags);
  note_received(fd, wanted, got, flags);
  return got;
}

RFF_EXPORT ssize_t send(int fd, const void* from, std::size_t n, int flags) {
  return sendto(fd, from, n, flags, nullptr, 0);
}

RFF_EXPORT ssize_t sendto(int fd, const void* from, std::size_t n, int flags, const sockaddr* to,
                          socklen_t size) {
  if ((flags & MSG_OOB) != 0) {
    descriptions::lose_track(fd);
  }
  if (!matters(fd, flags)) {
    return RFF_REAL(sendto)(fd, from, n, flags, to, size);
  }
  return write_all(
      "send", fd, n, may_wait(flags),
      [&](std::size_t at, std::size_t part) {
        descriptions::Delivery delivery(fd);
        return delivery.sent(RFF_REAL(sendto)(fd, static_cast<const char*>(from) + at, part,
                                              flags | MSG_DONTWAIT, to, size));
      },
      RFF_CALLER);
}

RFF_EXPORT int shutdown(int fd, int how) noexcept {
  if (controlled()) {
    descriptions::will_close(fd, RFF_CALLER);
  }
  return RFF_REAL(shutdown)(fd, how);
}

RFF_EXPORT ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  if (controlled()) {
    note_passed_descriptors(*message);
  }
  if ((flags & MSG_OOB) != 0) {
    descriptions::lose_track(fd);
  }
  if (matters(fd, flags) &&
      !outside::await("sendmsg", fd, POLLOUT, RFF_CALLER, kByHandlers, may_wait(flags))) {
    return -1;
  }
  descriptions::Delivery delivery(fd);
  return delivery.sent(RFF_REAL(sendmsg)(fd, message, flags));
}
