#include "libsched/process/fork_point.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "libsched/support/folder_entries.h"
#include "libsched/support/own_descriptors.h"
#include "libsched/support/places.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

// Calls visit(fd) for every descriptor of the process, without allocating from the target's heap.
template <typename Visit>
void for_each_descriptor(Visit visit) {
  long dir = own_descriptors::open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
  if (dir < 0) {
    return;
  }
  for_each_entry(static_cast<int>(dir), [&](const char* name) {
    int fd = 0;
    const char* digit = name;
    for (; *digit >= '0' && *digit <= '9'; ++digit) {
      fd = fd * 10 + (*digit - '0');
    }
    if (*digit == 0 && digit != name && fd != dir) {
      visit(fd);
    }
  });
  real::syscall6(SYS_close, dir);
}

std::string shared_mapping() {
  long fd = own_descriptors::open("/proc/self/maps", O_RDONLY);
  std::string text;
  char chunk[4096];
  for (long n = 0; fd >= 0 && (n = real::syscall6(SYS_read, fd, reinterpret_cast<long>(chunk),
                                                  sizeof chunk)) > 0;) {
    text.append(chunk, static_cast<std::size_t>(n));
  }
  if (fd >= 0) {
    real::syscall6(SYS_close, fd);
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    // System V segments belong to the fuzzer, the other one to the runtime.
    if (line.find(" rw-s ") != std::string_view::npos &&
        line.find("/SYSV") == std::string_view::npos &&
        std::strtol(line.data(), nullptr, 16) != places::kSharedMemory) {
      return "a shared writable mapping";
    }
  }
  return "";
}

}  // namespace

std::string ForkPoint::obstacle() {
  std::string why;
  for_each_descriptor([&](int fd) {
    struct stat s;
    if (fd <= 2 || own_descriptors::contains(fd) || !why.empty() || fstat(fd, &s) != 0) {
      return;
    }
    int flags = RFF_REAL(fcntl)(fd, F_GETFL);
    if (S_ISFIFO(s.st_mode)) {
      why = "an open pipe";
    } else if (S_ISSOCK(s.st_mode)) {
      why = "an open socket";
    } else if (S_ISREG(s.st_mode)) {
      why = (flags & O_ACCMODE) == O_RDONLY ? "" : "a file open for writing";
    } else if (!S_ISDIR(s.st_mode) && !S_ISCHR(s.st_mode)) {
      why = "an open event descriptor";
    }
  });
  return why.empty() ? shared_mapping() : why;
}

bool ForkPoint::has_files() const {
  bool found = false;
  for_each_descriptor([&](int fd) { found |= fd > 2 && !own_descriptors::contains(fd); });
  return found;
}

void ForkPoint::remember_files() {
  for_each_descriptor([&](int fd) {
    struct stat s;
    if (!own_descriptors::contains(fd) && fstat(fd, &s) == 0 && S_ISREG(s.st_mode)) {
      files_.push_back(
          {fd, real::syscall6(SYS_lseek, fd, 0, SEEK_CUR), real::syscall6(SYS_fcntl, fd, F_GETFL)});
    }
  });
}

void ForkPoint::restore_files() const {
  for (const File& f : files_) {
    if (f.offset >= 0) {
      real::syscall6(SYS_lseek, f.descriptor, f.offset, SEEK_SET);
    }
    real::syscall6(SYS_fcntl, f.descriptor, F_SETFL, f.flags);
  }
}

}  // namespace rff
