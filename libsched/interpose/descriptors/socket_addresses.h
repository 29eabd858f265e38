// Addresses of sockets. Ports that the kernel chooses differ from run to run, so the program sees
// numbers of the runtime's in their place.
#pragma once

#include <sys/socket.h>

namespace rff {

class SocketAddress {
 public:
  SocketAddress() = default;
  SocketAddress(const sockaddr* address, socklen_t size);
  static SocketAddress of_own_end(int fd);
  static SocketAddress of_peer(int fd);

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const { return size_; }
  bool is_internet() const;
  // In the host's order; 0 if there is none.
  unsigned port() const;
  void set_port(unsigned port);
  // Whether other runs would find the address in use.
  bool has_name() const;
  bool operator==(const SocketAddress& other) const;
  // Whether one who connects to `to` reaches a socket that listens here.
  bool is_reached_by(const SocketAddress& to) const;

 private:
  bool is_any() const;
  sockaddr_storage storage_ = {};
  socklen_t size_ = 0;
};

namespace ports {

// Binds a socket. A port that another run has taken is replaced by one that only this program
// knows. Returns 0 or -1 with errno set.
int bind(int fd, const SocketAddress& wanted);
// Replaces a port that the runtime has shown by the kernel's.
SocketAddress real_one(const SocketAddress& address);
// Replaces a port that the kernel has chosen by one that is the same in every run.
void show(sockaddr* address);

}  // namespace ports
}  // namespace rff
