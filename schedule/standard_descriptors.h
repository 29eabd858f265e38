// For the beginning of main: whoever starts a program may have closed its standard descriptors. The
// next file that it opens would get such a number, and what it prints would land in that file.
#pragma once

#include <fcntl.h>

namespace rff {

inline void open_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1) {
      (void)!::open("/dev/null", O_RDWR);  // the lowest free number
    }
  }
}

}  // namespace rff
