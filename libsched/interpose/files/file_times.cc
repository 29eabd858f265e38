// Access times of files, which change with every run that reads a file. A program sees the time of
// the last modification in their place, unless it sets times of files itself: then it must find the
// times that it has set.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <utime.h>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

bool sets_times = false;  // the program has set times

bool shows_access_times() { return !controlled() || sets_times; }

template <typename Status>
int without_access_time(int result, Status* status) {
  if (result == 0 && !shows_access_times()) {
    status->st_atim = status->st_mtim;
  }
  return result;
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
  return without_access_time(RFF_REAL(stat)(path, status), status);
}

RFF_EXPORT int stat64(const char* path, struct stat64* status) noexcept {
  return without_access_time(RFF_REAL(stat64)(path, status), status);
}

RFF_EXPORT int lstat(const char* path, struct stat* status) noexcept {
  return without_access_time(RFF_REAL(lstat)(path, status), status);
}

RFF_EXPORT int lstat64(const char* path, struct stat64* status) noexcept {
  return without_access_time(RFF_REAL(lstat64)(path, status), status);
}

RFF_EXPORT int fstat(int fd, struct stat* status) noexcept {
  return without_access_time(RFF_REAL(fstat)(fd, status), status);
}

RFF_EXPORT int fstat64(int fd, struct stat64* status) noexcept {
  return without_access_time(RFF_REAL(fstat64)(fd, status), status);
}

RFF_EXPORT int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
  return without_access_time(RFF_REAL(fstatat)(folder, path, status, flags), status);
}

RFF_EXPORT int fstatat64(int folder, const char* path, struct stat64* status, int flags) noexcept {
  return without_access_time(RFF_REAL(fstatat64)(folder, path, status, flags), status);
}

RFF_EXPORT int statx(int folder, const char* path, int flags, unsigned mask,
                     struct statx* status) noexcept {
  bool shown = (mask & STATX_ATIME) == 0 || shows_access_times();
  int result = RFF_REAL(statx)(folder, path, flags, shown ? mask : mask | STATX_MTIME, status);
  if (result == 0 && !shown) {
    status->stx_atime = status->stx_mtime;
  }
  return result;
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
