// Connections between two sockets of the program: as internal as a pair of sockets. Whom the
// program connects to itself is known from the addresses of its listening sockets.
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/descriptors/socket_addresses.h"
#include "libsched/interpose/files/file_turns.h"
#include "libsched/interpose/files/outside.h"

namespace rff {
namespace {

void made_socket(int fd, const void* caller) {
  if (controlled() && fd >= 0) {
    descriptions::made(fd, caller).socket = true;
  }
}

// The two ends are internal from now on.
void become_pair(Description& client, Description& server) {
  server.in = client.out;
  server.out = client.in;
  server.internal = true;
  server.address = client.address;
  client.peer = &server;
  server.peer = &client;
}

ByteStream::Kind stream_of(int fd) {
  int type = SOCK_STREAM;
  socklen_t size = sizeof type;
  RFF_REAL(getsockopt)(fd, SOL_SOCKET, SO_TYPE, &type, &size);
  return descriptions::socket_stream(type);
}

// The kernel connects at once, but may take a moment to say so.
void settle_connection(int fd) {
  constexpr int kMost = 1000;  // ms
  pollfd p{fd, POLLOUT, 0};
  real::syscall6(SYS_poll, reinterpret_cast<long>(&p), 1, kMost);
}

int accepted(int listener, int fd, const void* caller) {
  if (!controlled() || fd < 0) {
    return fd;
  }
  Description& d = descriptions::made(fd, caller);
  d.socket = true;
  Description* l = descriptions::find(listener);
  if (l == nullptr) {
    return fd;
  }
  SocketAddress peer = SocketAddress::of_peer(fd);
  auto client = std::find_if(l->clients.begin(), l->clients.end(), [&](Description* c) {
    return peer.is_internet() ? c->address == peer : !c->address.is_internet();
  });
  if (client != l->clients.end()) {
    become_pair(**client, d);
    l->clients.erase(client);
  }
  return fd;
}

// Waits for a connection, as a step.
bool await_connection(const char* name, int fd, const void* caller) {
  Description* d = descriptions::find(fd);
  if (!watched() || d == nullptr || d->clients.empty()) {
    return outside::await(name, fd, POLLIN, caller);
  }
  Operation op = operation(OpKind::kReceive, d, caller);
  op.place = d->place;
  runtime->run.execution.perform(op);
  return true;
}

int connect_really(int fd, const sockaddr* to, socklen_t size, const void* caller) {
  if (!watched() || !outside::may_block(fd)) {
    return RFF_REAL(connect)(fd, to, size);
  }
  int on = 1;
  int off = 0;
  RFF_CHECK(RFF_REAL(ioctl)(fd, FIONBIO, &on) == 0);
  int result = outside::retry(
      "connect", EAGAIN, EAGAIN, [&] { return RFF_REAL(connect)(fd, to, size); }, caller);
  if (result < 0 && errno == EINPROGRESS) {
    auto ask = [&] { return outside::ready(fd, POLLOUT); };
    outside::until("connect", kNever, ask, caller, Interruption::kNone);
    int error = 0;
    socklen_t bytes = sizeof error;
    RFF_REAL(getsockopt)(fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
    errno = error;
    result = error == 0 ? 0 : -1;
  }
  int error = errno;
  RFF_REAL(ioctl)(fd, FIONBIO, &off);
  errno = error;
  return result;
}

// Connects to a listening socket of the program.
int connect_inside(int fd, Description& client, Description& listener, const SocketAddress& to,
                   const void* caller) {
  if (watched()) {
    Operation op = operation(OpKind::kSend, &listener, caller);
    op.place = listener.place;
    runtime->run.execution.perform(op);
  }
  bool waits = outside::may_block(fd);
  int on = 1;
  int off = 0;
  RFF_REAL(ioctl)(fd, FIONBIO, &on);
  // Another thread may accept the connection as soon as there is one.
  auto attempt = [&] {
    int result = RFF_REAL(connect)(fd, to.get(), to.size());
    if (result == 0 || errno == EINPROGRESS) {
      int error = errno;
      settle_connection(fd);
      client.address = SocketAddress::of_own_end(fd);
      ByteStream::Kind kind = stream_of(fd);
      client.out = &descriptions::new_channel(caller, kind);
      client.in = &descriptions::new_channel(caller, kind);
      client.internal = true;
      listener.clients.push_back(&client);
      errno = error;
    }
    return result;
  };
  int result = attempt();
  if (result < 0 && errno == EAGAIN && waits) {  // the queue of connections is full
    result = outside::retry("connect", EAGAIN, EAGAIN, attempt, caller);
  }
  int error = result == 0 || (errno == EINPROGRESS && waits) ? 0 : errno;
  if (waits) {
    RFF_REAL(ioctl)(fd, FIONBIO, &off);
  }
  errno = error;
  return error == 0 ? 0 : -1;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int socket(int family, int type, int protocol) noexcept {
  int fd = RFF_REAL(socket)(family, type, protocol);
  made_socket(fd, RFF_CALLER);
  return fd;
}

RFF_EXPORT int bind(int fd, const sockaddr* address, socklen_t size) noexcept {
  if (!controlled() || address == nullptr) {
    return RFF_REAL(bind)(fd, address, size);
  }
  SocketAddress wanted(address, size);
  if (wanted.has_name()) {
    will_change();
  }
  return ports::bind(fd, wanted);
}

RFF_EXPORT int listen(int fd, int backlog) noexcept {
  int result = RFF_REAL(listen)(fd, backlog);
  if (Description* d = controlled() && result == 0 ? descriptions::find(fd) : nullptr) {
    d->listens = true;
    d->address = SocketAddress::of_own_end(fd);
  }
  return result;
}

RFF_EXPORT int connect(int fd, const sockaddr* to, socklen_t size) {
  if (!controlled() || to == nullptr) {
    return RFF_REAL(connect)(fd, to, size);
  }
  SocketAddress address = ports::real_one(SocketAddress(to, size));
  Description* client = descriptions::find(fd);
  Description* listener = client != nullptr ? descriptions::find_listener(address) : nullptr;
  return listener != nullptr ? connect_inside(fd, *client, *listener, address, RFF_CALLER)
                             : connect_really(fd, address.get(), address.size(), RFF_CALLER);
}

RFF_EXPORT int accept(int fd, sockaddr* from, socklen_t* size) {
  return accept4(fd, from, size, 0);
}

RFF_EXPORT int accept4(int fd, sockaddr* from, socklen_t* size, int flags) {
  if (!await_connection("accept", fd, RFF_CALLER)) {
    return -1;
  }
  int result = accepted(fd, RFF_REAL(accept4)(fd, from, size, flags), RFF_CALLER);
  if (controlled() && result >= 0 && from != nullptr) {
    ports::show(from);
  }
  return result;
}

RFF_EXPORT int getsockname(int fd, sockaddr* address, socklen_t* size) noexcept {
  int result = RFF_REAL(getsockname)(fd, address, size);
  if (controlled() && result == 0) {
    ports::show(address);
  }
  return result;
}

RFF_EXPORT int getpeername(int fd, sockaddr* address, socklen_t* size) noexcept {
  int result = RFF_REAL(getpeername)(fd, address, size);
  if (controlled() && result == 0) {
    ports::show(address);
  }
  return result;
}
