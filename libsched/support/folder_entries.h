// The names in a folder, without allocating from the target's heap.
#pragma once

#include <sys/syscall.h>

#include "libsched/support/real.h"

namespace rff {

// Calls visit(name) for every entry of the folder open at `fd`.
template <typename Visit>
void for_each_entry(int fd, Visit visit) {
  struct Entry {
    unsigned long inode;
    long offset;
    unsigned short length;
    unsigned char type;
    char name[1];
  };
  alignas(8) char buffer[4096];
  for (;;) {
    long n = real::syscall6(SYS_getdents64, fd, reinterpret_cast<long>(buffer), sizeof buffer);
    if (n <= 0) {
      return;
    }
    for (long at = 0; at < n;) {
      const auto* e = reinterpret_cast<const Entry*>(buffer + at);
      at += e->length;
      visit(e->name);
    }
  }
}

}  // namespace rff
