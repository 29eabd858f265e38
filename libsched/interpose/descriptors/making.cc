// Functions that make pipes, pairs of sockets and counters: all ends are in the program.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libsched/interpose/descriptors/description.h"

namespace rff {
namespace {

// A pipe of packets (O_DIRECT) divides what is written in its own way.
void made_pipe(const int (&ends)[2], int flags, const void* caller) {
  bool packets = (flags & O_DIRECT) != 0;
  Channel& channel = descriptions::new_channel(
      caller, packets ? ByteStream::Kind::kUnknown : ByteStream::Kind::kBytes);
  for (int fd : ends) {
    descriptions::made(fd, caller).internal = true;
  }
  descriptions::find(ends[0])->in = &channel;
  descriptions::find(ends[1])->out = &channel;
}

int make_pipe(int* ends, int flags, const void* caller) {
  int result = RFF_REAL(pipe2)(ends, flags);
  if (controlled() && result == 0) {
    made_pipe({ends[0], ends[1]}, flags, caller);
  }
  return result;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int pipe(int* ends) noexcept { return make_pipe(ends, 0, RFF_CALLER); }
RFF_EXPORT int pipe2(int* ends, int flags) noexcept { return make_pipe(ends, flags, RFF_CALLER); }

RFF_EXPORT int socketpair(int family, int type, int protocol, int* ends) noexcept {
  int result = RFF_REAL(socketpair)(family, type, protocol, ends);
  if (controlled() && result == 0) {
    ByteStream::Kind kind = descriptions::socket_stream(type);
    Channel* channels[2] = {&descriptions::new_channel(RFF_CALLER, kind),
                            &descriptions::new_channel(RFF_CALLER, kind)};
    for (int i = 0; i < 2; ++i) {
      Description& d = descriptions::made(ends[i], RFF_CALLER);
      d.internal = true;
      d.in = channels[i];
      d.out = channels[1 - i];
    }
  }
  return result;
}

RFF_EXPORT int eventfd(unsigned count, int flags) noexcept {
  int fd = RFF_REAL(eventfd)(count, flags);
  if (controlled() && fd >= 0) {
    Description& d = descriptions::made(fd, RFF_CALLER);
    d.internal = true;
    d.in = d.out = &descriptions::new_channel(RFF_CALLER);
  }
  return fd;
}
