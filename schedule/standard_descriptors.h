// Opens closed standard descriptors. Call at the beginning of main: the parent process may have
// closed some, and then the next opened file would get such a number and receive our output.
#pragma once

#include <fcntl.h>

namespace rff {

inline void open_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1) {
      (void)!::open("/dev/null", O_RDWR);  // gets the lowest free number
    }
  }
}

}  // namespace rff
