#include "libsched/interpose/descriptors/socket_addresses.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

struct Port {
  unsigned real = 0, shown = 0;
};

std::vector<Port>& known() {
  static auto* made = new std::vector<Port>;
  return *made;
}

// The first that is shown; Linux chooses from 32768 on.
constexpr unsigned kFirstShown = 50'000;

template <typename Matches>
const Port* find(Matches matches) {
  auto it = std::find_if(known().begin(), known().end(), matches);
  return it == known().end() ? nullptr : &*it;
}

void remember(unsigned real, unsigned shown) {
  std::erase_if(known(), [&](const Port& p) { return p.real == real || p.shown == shown; });
  known().push_back({real, shown});
}

unsigned next_shown() {
  static unsigned next = kFirstShown;
  return next++;
}

}  // namespace

SocketAddress::SocketAddress(const sockaddr* address, socklen_t size)
    : size_(std::min<socklen_t>(size, sizeof storage_)) {
  std::memcpy(&storage_, address, size_);
}

SocketAddress SocketAddress::of_own_end(int fd) {
  SocketAddress a;
  a.size_ = sizeof a.storage_;
  RFF_REAL(getsockname)(fd, reinterpret_cast<sockaddr*>(&a.storage_), &a.size_);
  return a;
}

SocketAddress SocketAddress::of_peer(int fd) {
  SocketAddress a;
  a.size_ = sizeof a.storage_;
  RFF_REAL(getpeername)(fd, reinterpret_cast<sockaddr*>(&a.storage_), &a.size_);
  return a;
}

bool SocketAddress::is_internet() const {
  return storage_.ss_family == AF_INET || storage_.ss_family == AF_INET6;
}

unsigned SocketAddress::port() const {
  // At the same place in both families.
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  return is_internet() ? ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port) : 0;
}

void SocketAddress::set_port(unsigned port) {
  reinterpret_cast<sockaddr_in*>(&storage_)->sin_port = htons(static_cast<std::uint16_t>(port));
}

bool SocketAddress::operator==(const SocketAddress& other) const {
  if (is_internet() && other.is_internet()) {
    return port() == other.port();  // both on this machine
  }
  return size_ == other.size_ && std::memcmp(&storage_, &other.storage_, size_) == 0;
}

bool SocketAddress::has_name() const {
  return storage_.ss_family == AF_UNIX ? size_ > offsetof(sockaddr_un, sun_path) : port() != 0;
}

bool SocketAddress::is_any() const {
  if (storage_.ss_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in*>(&storage_)->sin_addr.s_addr == INADDR_ANY;
  }
  return IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_addr);
}

bool SocketAddress::is_reached_by(const SocketAddress& to) const {
  if (!is_internet() || !to.is_internet()) {
    return *this == to;
  }
  auto local = [](const SocketAddress& a) {
    if (a.storage_.ss_family == AF_INET) {
      auto address = ntohl(reinterpret_cast<const sockaddr_in*>(&a.storage_)->sin_addr.s_addr);
      return address >> 24 == 127;
    }
    const auto& six = reinterpret_cast<const sockaddr_in6*>(&a.storage_)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
  };
  return port() == to.port() && port() != 0 && (is_any() || local(*this)) &&
         (local(to) || to.is_any());
}

namespace ports {

int bind(int fd, const SocketAddress& wanted) {
  SocketAddress address = real_one(wanted);
  int result = RFF_REAL(bind)(fd, address.get(), address.size());
  if (result == 0 || errno != EADDRINUSE || !wanted.is_internet() || wanted.port() == 0) {
    return result;
  }
  if (find([&](const Port& p) { return p.shown == wanted.port(); }) != nullptr) {
    errno = EADDRINUSE;  // the program has it itself
    return -1;
  }
  int error = errno;
  address.set_port(0);
  if (RFF_REAL(bind)(fd, address.get(), address.size()) != 0) {
    errno = error;
    return -1;
  }
  remember(SocketAddress::of_own_end(fd).port(), wanted.port());
  return 0;
}

SocketAddress real_one(const SocketAddress& address) {
  SocketAddress translated = address;
  if (address.is_internet()) {
    if (const Port* p = find([&](const Port& k) { return k.shown == address.port(); })) {
      translated.set_port(p->real);
    }
  }
  return translated;
}

void show(sockaddr* address) {
  if (address->sa_family != AF_INET && address->sa_family != AF_INET6) {
    return;
  }
  auto* internet = reinterpret_cast<sockaddr_in*>(address);
  unsigned real = ntohs(internet->sin_port);
  constexpr unsigned kFirstChosen = 32'768;  // by the kernel, unless told otherwise
  const Port* p = find([&](const Port& k) { return k.real == real; });
  if (p == nullptr && real >= kFirstChosen) {
    remember(real, next_shown());
    p = &known().back();
  }
  if (p != nullptr) {
    internet->sin_port = htons(static_cast<std::uint16_t>(p->shown));
  }
}

}  // namespace ports
}  // namespace rff
