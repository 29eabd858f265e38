#include "libsched/interpose/files/kernel_text.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "libsched/support/real.h"

namespace rff {

std::string kernel_text(const char* path) {
  std::string text;
  long fd = real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY);
  char part[4096];
  for (long n; fd >= 0 &&
               (n = real::syscall6(SYS_read, fd, reinterpret_cast<long>(part), sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(n));
  }
  if (fd >= 0) {
    real::syscall6(SYS_close, fd);
  }
  return text;
}

}  // namespace rff
