// The status of files. Access times change with every run that reads a file: a program sees the
// time of the last modification in their place. A file that was changed since the run's process
// started shows the virtual time at which runs begin. A program that sets times of files itself
// must find the times that it has set, and sees the real ones. Files that describe the machine have
// a status of their own (machine_files.h).
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <utime.h>

#include "libsched/interpose/asked_outside.h"
#include "libsched/interpose/files/kernel_path.h"
#include "libsched/interpose/files/machine_files.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/machine.h"

namespace rff {
namespace {

bool sets_times = false;  // the program has set times

// The kernel takes the times of files from this clock.
timespec process_start() {
  static const timespec start = [] {
    timespec now = {};
    real::syscall6(SYS_clock_gettime, CLOCK_REALTIME_COARSE, reinterpret_cast<long>(&now));
    return now;
  }();
  return start;
}
[[gnu::constructor]] void note_start() { process_start(); }

constexpr auto kRunStart = static_cast<time_t>(machine::kEpoch / machine::kSecond);

template <typename Time>
void hide_recent(Time& time) {
  timespec start = process_start();
  bool recent = time.tv_sec > start.tv_sec ||
                (time.tv_sec == start.tv_sec && static_cast<long>(time.tv_nsec) >= start.tv_nsec);
  if (recent) {
    time.tv_sec = kRunStart;
    time.tv_nsec = 0;
  }
}

// Gives the program the status that it is to see.
template <typename Status>
int shown(int result, Status* status) {
  static_assert(sizeof(Status) == sizeof(struct stat));
  if (result != 0 || !controlled()) {
    return result;
  }
  if (auto* plain = reinterpret_cast<struct stat*>(status); opened_as_text(*plain)) {
    fill_machine_status(MachineEntry::file(""), plain);
  } else if (!sets_times) {
    hide_recent(status->st_mtim);
    hide_recent(status->st_ctim);
    status->st_atim = status->st_mtim;
  }
  return result;
}

// Answers for a path that describes the machine; `real` asks the kernel about any other.
template <typename Status, typename Real>
int status_of(const char* path, Status* status, Real real) {
  MachineEntry entry = machine_entry(path);
  switch (entry.kind) {
    case MachineEntry::Kind::kReal:
      asked_outside("stat", path, status, sizeof *status);
      return shown(real(), status);
    case MachineEntry::Kind::kMissing: errno = ENOENT; return -1;
    default: fill_machine_status(entry, reinterpret_cast<struct stat*>(status)); return 0;
  }
}

void fill_extended(const struct stat& from, struct statx* to) {
  *to = {};
  to->stx_mask = STATX_BASIC_STATS;
  to->stx_blksize = static_cast<std::uint32_t>(from.st_blksize);
  to->stx_nlink = static_cast<std::uint32_t>(from.st_nlink);
  to->stx_mode = static_cast<std::uint16_t>(from.st_mode);
  to->stx_ino = from.st_ino;
  to->stx_size = static_cast<std::uint64_t>(from.st_size);
  to->stx_atime.tv_sec = to->stx_mtime.tv_sec = to->stx_ctime.tv_sec = from.st_mtim.tv_sec;
}

void note_times_set() {
  if (controlled()) {
    sets_times = true;
  }
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int stat(const char* path, struct stat* status) noexcept {
  return status_of(path, status, [&] { return RFF_REAL(stat)(KernelPath(path).get(), status); });
}

RFF_EXPORT int stat64(const char* path, struct stat64* status) noexcept {
  return status_of(path, status, [&] { return RFF_REAL(stat64)(KernelPath(path).get(), status); });
}

RFF_EXPORT int lstat(const char* path, struct stat* status) noexcept {
  return status_of(path, status, [&] { return RFF_REAL(lstat)(KernelPath(path).get(), status); });
}

RFF_EXPORT int lstat64(const char* path, struct stat64* status) noexcept {
  return status_of(path, status, [&] { return RFF_REAL(lstat64)(KernelPath(path).get(), status); });
}

RFF_EXPORT int fstat(int fd, struct stat* status) noexcept {
  asked_about("fstat", fd, status, sizeof *status, RFF_CALLER);
  return shown(RFF_REAL(fstat)(fd, status), status);
}

RFF_EXPORT int fstat64(int fd, struct stat64* status) noexcept {
  asked_about("fstat", fd, status, sizeof *status, RFF_CALLER);
  return shown(RFF_REAL(fstat64)(fd, status), status);
}

RFF_EXPORT int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
  return status_of(path, status, [&] {
    return RFF_REAL(fstatat)(folder, KernelPath(path).get(), status, flags);
  });
}

RFF_EXPORT int fstatat64(int folder, const char* path, struct stat64* status, int flags) noexcept {
  return status_of(path, status, [&] {
    return RFF_REAL(fstatat64)(folder, KernelPath(path).get(), status, flags);
  });
}

RFF_EXPORT int statx(int folder, const char* path, int flags, unsigned mask,
                     struct statx* status) noexcept {
  if (!controlled()) {
    return RFF_REAL(statx)(folder, path, flags, mask, status);
  }
  struct stat plain = {};
  MachineEntry entry = machine_entry(path);
  if (entry.kind == MachineEntry::Kind::kMissing) {
    errno = ENOENT;
    return -1;
  }
  bool machines = entry.kind != MachineEntry::Kind::kReal;
  if (!machines) {
    asked_outside("statx", path, status, sizeof *status);
    int result = RFF_REAL(statx)(folder, KernelPath(path).get(), flags, mask | STATX_MTIME, status);
    if (result != 0) {
      return result;
    }
    plain.st_mode = status->stx_mode;
    plain.st_nlink = status->stx_nlink;
    entry.kind = MachineEntry::Kind::kFile;
    machines = opened_as_text(plain);
  }
  if (machines) {
    fill_machine_status(entry, &plain);
    fill_extended(plain, status);
  } else if (!sets_times) {
    hide_recent(status->stx_mtime);
    hide_recent(status->stx_ctime);
    hide_recent(status->stx_btime);
    status->stx_atime = status->stx_mtime;
  }
  return 0;
}

RFF_EXPORT int utime(const char* path, const utimbuf* times) noexcept {
  note_times_set();
  return RFF_REAL(utime)(path, times);
}

RFF_EXPORT int utimes(const char* path, const timeval times[2]) noexcept {
  note_times_set();
  return RFF_REAL(utimes)(path, times);
}

RFF_EXPORT int lutimes(const char* path, const timeval times[2]) noexcept {
  note_times_set();
  return RFF_REAL(lutimes)(path, times);
}

RFF_EXPORT int futimes(int fd, const timeval times[2]) noexcept {
  note_times_set();
  return RFF_REAL(futimes)(fd, times);
}

RFF_EXPORT int futimesat(int folder, const char* path, const timeval times[2]) noexcept {
  note_times_set();
  return RFF_REAL(futimesat)(folder, path, times);
}

RFF_EXPORT int futimens(int fd, const timespec times[2]) noexcept {
  note_times_set();
  return RFF_REAL(futimens)(fd, times);
}

RFF_EXPORT int utimensat(int folder, const char* path, const timespec times[2],
                         int flags) noexcept {
  note_times_set();
  return RFF_REAL(utimensat)(folder, path, times, flags);
}
