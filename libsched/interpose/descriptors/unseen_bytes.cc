// Functions that move bytes between descriptors in ways that the runtime does not follow: they are
// made as they are, and who wrote what is not known from then on.
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "libsched/interpose/descriptors/description.h"

using namespace rff;

#define RFF_MOVES(result, function, parameters, arguments, one, other) \
  RFF_EXPORT result function parameters {                              \
    descriptions::lose_track(one);                                     \
    descriptions::lose_track(other);                                   \
    return RFF_REAL(function) arguments;                               \
  }

RFF_MOVES(ssize_t, splice,
          (int from, off64_t* at, int to, off64_t* to_at, std::size_t n, unsigned f),
          (from, at, to, to_at, n, f), from, to)
RFF_MOVES(ssize_t, tee, (int from, int to, std::size_t n, unsigned f), (from, to, n, f), from, to)
RFF_MOVES(ssize_t, vmsplice, (int fd, const iovec* parts, std::size_t count, unsigned f),
          (fd, parts, count, f), fd, fd)
RFF_MOVES(ssize_t, preadv2, (int fd, const iovec* parts, int count, off_t at, int f),
          (fd, parts, count, at, f), fd, fd)
RFF_MOVES(ssize_t, pwritev2, (int fd, const iovec* parts, int count, off_t at, int f),
          (fd, parts, count, at, f), fd, fd)
RFF_MOVES(int, sendmmsg, (int fd, mmsghdr* messages, unsigned count, int f),
          (fd, messages, count, f), fd, fd)
RFF_MOVES(int, recvmmsg, (int fd, mmsghdr* messages, unsigned count, int f, timespec* limit),
          (fd, messages, count, f, limit), fd, fd)

// Also files are sent: most of them to sockets.
RFF_EXPORT ssize_t sendfile(int to, int from, off_t* at, std::size_t n) noexcept {
  descriptions::lose_track(from);
  descriptions::lose_track(to);
  return RFF_REAL(sendfile)(to, from, at, n);
}

RFF_EXPORT ssize_t sendfile64(int to, int from, off64_t* at, std::size_t n) noexcept {
  descriptions::lose_track(from);
  descriptions::lose_track(to);
  return RFF_REAL(sendfile64)(to, from, at, n);
}
