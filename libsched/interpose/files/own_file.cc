// Removal of the program's own file: the program sees success, but the next run needs the file.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libsched/interpose/files/file_turns.h"

namespace rff {
namespace {

bool is_own_file(int folder, const char* path) {
  if (!controlled() || path == nullptr) {
    return false;
  }
  struct stat own = {};
  struct stat there = {};
  auto ask = [](int at, const char* name, struct stat* answer, int flags) {
    return real::syscall6(SYS_newfstatat, at, reinterpret_cast<long>(name),
                          reinterpret_cast<long>(answer), flags) == 0;
  };
  bool same = ask(AT_FDCWD, "/proc/self/exe", &own, 0) &&
              ask(folder, path, &there, AT_SYMLINK_NOFOLLOW) && own.st_dev == there.st_dev &&
              own.st_ino == there.st_ino;
  if (same) {
    runtime->process.unmodelled("removing the program's own file");
  }
  return same;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int unlink(const char* path) noexcept {
  if (is_own_file(AT_FDCWD, path)) {
    return 0;
  }
  will_change();
  return RFF_REAL(unlink)(path);
}

RFF_EXPORT int unlinkat(int folder, const char* path, int flags) noexcept {
  if (is_own_file(folder, path)) {
    return 0;
  }
  will_change();
  return RFF_REAL(unlinkat)(folder, path, flags);
}

RFF_EXPORT int remove(const char* path) noexcept {
  if (is_own_file(AT_FDCWD, path)) {
    return 0;
  }
  will_change();
  return RFF_REAL(remove)(path);
}
