#include "libsched/process/file_turn.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>

#include <string_view>

#include "libsched/support/own_descriptors.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

constexpr std::string_view kOfTheMachine[] = {"/dev/", "/etc/", "/lib", "/proc/", "/sys/", "/usr/"};

// A run that stands in a debugger must not stop all others.
constexpr int kPatience = 2'000;  // naps of a millisecond

bool lock(int fd, int kind) {
  for (int nap = 0; nap < kPatience; ++nap) {
    long error = real::syscall6(SYS_flock, fd, kind | LOCK_NB);
    if (error != -EWOULDBLOCK && error != -EINTR) {
      return true;  // also where the file system knows no locks
    }
    timespec millisecond{0, 1'000'000};
    real::syscall6(SYS_nanosleep, reinterpret_cast<long>(&millisecond), 0);
  }
  return false;
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
  alone_ = locked && wanted == Turn::kAlone;
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
  alone_ = false;
}

}  // namespace rff
