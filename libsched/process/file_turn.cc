#include "libsched/process/file_turn.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>

#include <cstddef>
#include <cstdio>
#include <string_view>

#include "libsched/support/own_descriptors.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

constexpr std::string_view kOfTheMachine[] = {"/dev/", "/etc/", "/lib", "/proc/", "/sys/", "/usr/"};

// A run that waits in a debugger must not stop all others.
constexpr int kPatience = 2'000;  // naps of a millisecond

template <typename Try>
bool with_patience(Try succeeds) {
  for (int nap = 0; nap < kPatience; ++nap) {
    if (succeeds()) {
      return true;
    }
    timespec millisecond{0, 1'000'000};
    real::syscall6(SYS_nanosleep, reinterpret_cast<long>(&millisecond), 0);
  }
  return false;
}

bool lock(int fd, int kind) {
  return with_patience([&] {
    long error = real::syscall6(SYS_flock, fd, kind | LOCK_NB);
    return error != -EWOULDBLOCK && error != -EINTR;  // also where the file system knows no locks
  });
}

}  // namespace

void FileTurn::share(int given) {
  long program = given >= 0 ? given : own_descriptors::open("/proc/self/exe", O_RDONLY);
  if (program >= 0) {
    own_descriptors::keep(own_descriptors::kTurn, static_cast<int>(program));
  }
}

FileTurn::Got FileTurn::take(Turn wanted) {
  if (turn_ >= wanted) {
    return Got::kTurn;
  }
  turn_ = wanted;
  int fd = own_descriptors::get(own_descriptors::kTurn);
  bool locked = fd >= 0 && lock(fd, wanted == Turn::kAlone ? LOCK_EX : LOCK_SH);
  return fd < 0 || locked ? Got::kTurn : Got::kNothing;
}

FileTurn::Got FileTurn::before_reading(const char* path) {
  std::string_view name = path == nullptr ? std::string_view() : path;
  for (std::string_view start : kOfTheMachine) {
    if (name.starts_with(start)) {
      return Got::kTurn;
    }
  }
  return take(Turn::kShared);
}

FileTurn::Got FileTurn::before_changing() { return take(Turn::kAlone); }

void FileTurn::end() {
  if (int fd = own_descriptors::get(own_descriptors::kTurn); fd >= 0) {
    real::syscall6(SYS_flock, fd, LOCK_UN);
  }
  turn_ = Turn::kNone;
}

bool FileTurn::hold_temporary_names(std::uint32_t program) {
  if (own_descriptors::get(own_descriptors::kTemporary) >= 0) {
    return true;
  }
  // A name that goes away with the process and needs no file.
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  int length = std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "rff-temporary-%ld-%x",
                             real::syscall6(SYS_geteuid), program);
  auto size = static_cast<long>(offsetof(sockaddr_un, sun_path)) + 1 + length;
  long fd = real::syscall6(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  bool held = fd >= 0 && with_patience([&] {
                return real::syscall6(SYS_bind, fd, reinterpret_cast<long>(&name), size) == 0;
              });
  if (fd >= 0) {
    own_descriptors::keep(own_descriptors::kTemporary, static_cast<int>(fd));
  }
  if (!held) {
    own_descriptors::close(own_descriptors::kTemporary);
  }
  return held;
}

}  // namespace rff
