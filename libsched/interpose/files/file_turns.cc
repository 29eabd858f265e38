// Calls that change the meaning of a name, except those that open or remove files.
#include "libsched/interpose/files/file_turns.h"

#include <netinet/in.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <string_view>

namespace rff {

void will_change(const char* path) {
  std::string_view name = path == nullptr ? std::string_view() : path;
  if (!name.starts_with("/dev/") && !name.starts_with("/proc/")) {
    will_change();
  }
}

}  // namespace rff

using namespace rff;

#define RFF_CHANGES(function, parameters, arguments) \
  RFF_EXPORT int function parameters noexcept {      \
    will_change();                                   \
    return RFF_REAL(function) arguments;             \
  }

RFF_CHANGES(mkdir, (const char* path, mode_t mode), (path, mode))
RFF_CHANGES(mkdirat, (int folder, const char* path, mode_t mode), (folder, path, mode))
RFF_CHANGES(rmdir, (const char* path), (path))
RFF_CHANGES(rename, (const char* from, const char* to), (from, to))
RFF_CHANGES(renameat, (int a, const char* from, int b, const char* to), (a, from, b, to))
RFF_CHANGES(renameat2, (int a, const char* from, int b, const char* to, unsigned flags),
            (a, from, b, to, flags))
RFF_CHANGES(link, (const char* from, const char* to), (from, to))
RFF_CHANGES(linkat, (int a, const char* from, int b, const char* to, int flags),
            (a, from, b, to, flags))
RFF_CHANGES(symlink, (const char* to, const char* path), (to, path))
RFF_CHANGES(symlinkat, (const char* to, int folder, const char* path), (to, folder, path))
RFF_CHANGES(truncate, (const char* path, off_t size), (path, size))
RFF_CHANGES(truncate64, (const char* path, off64_t size), (path, size))
RFF_CHANGES(chmod, (const char* path, mode_t mode), (path, mode))
RFF_CHANGES(fchmodat, (int folder, const char* path, mode_t mode, int flags),
            (folder, path, mode, flags))
RFF_CHANGES(mkfifo, (const char* path, mode_t mode), (path, mode))
RFF_CHANGES(mkfifoat, (int folder, const char* path, mode_t mode), (folder, path, mode))

RFF_EXPORT int shm_open(const char* name, int flags, mode_t mode) {
  will_change();
  return RFF_REAL(shm_open)(name, flags, mode);
}

RFF_EXPORT int shm_unlink(const char* name) {
  will_change();
  return RFF_REAL(shm_unlink)(name);
}
