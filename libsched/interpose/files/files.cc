// Functions that open files. Where a program would read the kernel's random numbers, its own
// process by number or the machine's current state, it sees the same values in every run.
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "libsched/interpose/asked_outside.h"
#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/files/file_turns.h"
#include "libsched/interpose/files/kernel_path.h"
#include "libsched/interpose/files/machine_files.h"
#include "libsched/interpose/files/stream_locks.h"
#include "libsched/interpose/files/streams.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/random.h"

namespace rff {
namespace {

// Returns whether a file that describes the machine can be opened; sets errno if not. A folder can
// only be listed: no descriptor of the kernel's would show what the program is to see.
bool may_open(const MachineEntry& entry, bool reads) {
  errno = entry.kind == MachineEntry::Kind::kMissing ? ENOENT : EACCES;
  return entry.kind == MachineEntry::Kind::kFile && reads;
}

template <typename Open>
int open_file(const char* path, int flags, Open open) {
  if (random_device(path)) {
    return opened_random_device(open(kInsteadOfRandom));
  }
  if (MachineEntry entry = machine_entry(path); entry.kind != MachineEntry::Kind::kReal) {
    bool reads = (flags & O_ACCMODE) == O_RDONLY;
    return may_open(entry, reads) ? open_text(entry.text, flags) : -1;
  }
  if ((flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY) {
    will_read(path);
  } else {
    will_change(path);
  }
  asked_outside("open", path);
  int fd = open(KernelPath(path).get());
  if (controlled() && fd >= 0) {
    descriptions::opened(fd);
  }
  return fd;
}

FILE* followed(FILE* stream) {
  if (controlled() && stream != nullptr) {
    descriptions::opened(fileno(stream));
  }
  return stream;
}

template <typename Open>
FILE* open_stream(const char* path, const char* mode, Open open) {
  if (random_device(path)) {
    return random_stream();
  }
  if (MachineEntry entry = machine_entry(path); entry.kind != MachineEntry::Kind::kReal) {
    bool reads = mode[0] == 'r' && std::strchr(mode, '+') == nullptr;
    int flags = std::strchr(mode, 'e') != nullptr ? O_CLOEXEC : 0;
    return may_open(entry, reads) ? fdopen(open_text(entry.text, flags), mode) : nullptr;
  }
  if (mode[0] == 'r' && std::strchr(mode, '+') == nullptr) {
    will_read(path);
  } else {
    will_change(path);
  }
  asked_outside("open", path);
  return followed(open(KernelPath(path).get()));
}

// Call before a stream gets another file.
void reopen(const char* path, FILE* stream, const void* caller) {
  will_change(path);
  if (controlled() && path != nullptr) {
    StreamCall call(stream, caller);
    will_close_stream(stream, caller);
  }
}

}  // namespace
}  // namespace rff

using namespace rff;

#define RFF_MODE(flags)                                             \
  mode_t mode = 0;                                                  \
  if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) { \
    va_list rest;                                                   \
    va_start(rest, flags);                                          \
    mode = va_arg(rest, mode_t);                                    \
    va_end(rest);                                                   \
  }

RFF_EXPORT int open(const char* path, int flags, ...) {
  RFF_MODE(flags)
  return open_file(path, flags, [&](const char* p) { return RFF_REAL(open)(p, flags, mode); });
}

RFF_EXPORT int open64(const char* path, int flags, ...) {
  RFF_MODE(flags)
  return open_file(path, flags, [&](const char* p) { return RFF_REAL(open64)(p, flags, mode); });
}

RFF_EXPORT int openat(int folder, const char* path, int flags, ...) {
  RFF_MODE(flags)
  return open_file(path, flags,
                   [&](const char* p) { return RFF_REAL(openat)(folder, p, flags, mode); });
}

RFF_EXPORT int openat64(int folder, const char* path, int flags, ...) {
  RFF_MODE(flags)
  return open_file(path, flags,
                   [&](const char* p) { return RFF_REAL(openat64)(folder, p, flags, mode); });
}

RFF_EXPORT int __open_2(const char* path, int flags) { return open(path, flags); }
RFF_EXPORT int __open64_2(const char* path, int flags) { return open64(path, flags); }
RFF_EXPORT int __openat_2(int folder, const char* path, int flags) {
  return openat(folder, path, flags);
}
RFF_EXPORT int __openat64_2(int folder, const char* path, int flags) {
  return openat64(folder, path, flags);
}

RFF_EXPORT FILE* fopen(const char* path, const char* mode) {
  return open_stream(path, mode, [&](const char* p) { return RFF_REAL(fopen)(p, mode); });
}

RFF_EXPORT FILE* fopen64(const char* path, const char* mode) {
  return open_stream(path, mode, [&](const char* p) { return RFF_REAL(fopen64)(p, mode); });
}

RFF_EXPORT FILE* freopen(const char* path, const char* mode, FILE* stream) {
  reopen(path, stream, RFF_CALLER);
  return followed(RFF_REAL(freopen)(path, mode, stream));
}

RFF_EXPORT FILE* freopen64(const char* path, const char* mode, FILE* stream) {
  reopen(path, stream, RFF_CALLER);
  return followed(RFF_REAL(freopen64)(path, mode, stream));
}

RFF_EXPORT int creat(const char* path, mode_t mode) {
  return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

RFF_EXPORT int creat64(const char* path, mode_t mode) { return creat(path, mode); }
