// Bytes that calls have sent or received: who wrote what, and when it arrives.
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "libsched/interpose/descriptors/description.h"

namespace rff {

void Channel::show_writer() const {
  ByteStream::Writer w = bytes.empty() ? last : bytes.next();
  if (runtime->run.begun()) {
    runtime->run.accesses.restore_writer(reinterpret_cast<std::uint64_t>(this), w.code, w.step);
  }
}

namespace descriptions {

ByteStream::Kind socket_stream(int type) {
  return (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM ? ByteStream::Kind::kBytes
                                                                 : ByteStream::Kind::kMessages;
}

void received(int fd, std::size_t wanted, ssize_t got, bool peeked) {
  const Description* d = controlled() ? find(fd) : nullptr;
  if (d == nullptr || !d->internal || d->in == nullptr || !d->in->bytes.follows()) {
    return;
  }
  if (got >= 0 && !peeked) {
    d->in->bytes.take(wanted, static_cast<std::size_t>(got));
  }
  d->in->show_writer();
}

void lose_track(int fd) {
  const Description* d = controlled() ? find(fd) : nullptr;
  for (Channel* c : {d != nullptr ? d->in : nullptr, d != nullptr ? d->out : nullptr}) {
    if (c != nullptr && c->bytes.follows()) {
      c->bytes.lose_track();
      c->show_writer();
    }
  }
}

namespace {

int unread(int fd) {
  int bytes = 0;
  real::syscall6(SYS_ioctl, fd, FIONREAD, reinterpret_cast<long>(&bytes));
  return bytes;
}

}  // namespace

Delivery::Delivery(int fd) : fd_(fd) {
  const Description* d = find(fd);
  if (d != nullptr && d->peer != nullptr && d->address.is_internet()) {
    peer_ = d->peer->number;
    before_ = unread(peer_);
  }
}

ssize_t Delivery::sent(ssize_t bytes) const {
  constexpr int kPatience = 1000;
  const Description* d = controlled() && bytes >= 0 ? find(fd_) : nullptr;
  if (d != nullptr && d->internal && d->out != nullptr && d->out->bytes.follows()) {
    d->out->bytes.put(d->out->last, static_cast<std::size_t>(bytes));
    d->out->show_writer();
  }
  int error = errno;
  for (int i = 0; peer_ >= 0 && bytes > 0 && unread(peer_) < before_ + bytes && i < kPatience;
       ++i) {
    timespec moment = {0, 20'000};
    real::syscall6(SYS_nanosleep, reinterpret_cast<long>(&moment), 0);
  }
  errno = error;
  return bytes;
}

}  // namespace descriptions
}  // namespace rff
