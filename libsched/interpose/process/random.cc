// Random numbers: every thread has its own fixed stream of them, independent of the schedule. Names
// of temporary files are made from it.
#include "libsched/interpose/process/random.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "libsched/interpose/files/file_turns.h"
#include "libsched/interpose/interpose.h"
#include "libsched/support/left_over.h"

namespace rff {

void fill_random(void* to, std::size_t n) {
  Random& random = runtime->run.execution.current().posix->random;
  runtime->run.execution.progress.looked_outside();
  auto* byte = static_cast<unsigned char*>(to);
  for (std::size_t i = 0; i < n; i += 8) {
    std::uint64_t value = random.next();
    RFF_REAL(memcpy)(byte + i, &value, n - i < 8 ? n - i : 8);
  }
}

namespace {

// Descriptors of the kernel's random devices, which are really open on /dev/zero.
std::set<int>& devices() {
  static auto* set = new std::set<int>;
  return *set;
}

// Makes a name from the thread's stream, so that it is the same in every run. Runs that make such
// names wait for each other, so a file with that name is left from an earlier run and is removed.
// If that fails, the next name of the stream is used, and the run depends on the outside.
template <typename Make>
int with_new_name(char* pattern, int suffix, Make make) {
  static constexpr char kLetters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::size_t length = RFF_REAL(strlen)(pattern);
  char* x = pattern + length - suffix - 6;
  if (suffix < 0 || length < static_cast<std::size_t>(suffix) + 6 ||
      std::strncmp(x, "XXXXXX", 6) != 0) {
    errno = EINVAL;
    return -1;
  }
  will_change();  // makes a run hold the names, not the fork server
  std::uint32_t program = module_hash(runtime->process.modules.main_path());
  bool held = runtime->process.files.hold_temporary_names(program);
  for (int attempt = 0; attempt < 10'000; ++attempt) {
    std::uint64_t value = runtime->run.execution.current().posix->random.next() + program;
    for (int i = 0; i < 6; ++i, value /= 62) {
      x[i] = kLetters[value % 62];
    }
    int result = make();
    if (result < 0 && errno == EEXIST && held && remove_left_over(pattern)) {
      result = make();
    }
    if (result >= 0 || errno != EEXIST) {
      return result;
    }
    touched_outside("a temporary name that was taken");
  }
  return -1;
}

int make_file(char* pattern, int suffix, int flags) {
  return with_new_name(pattern, suffix, [&] {
    return ::open(pattern, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
  });
}

ssize_t read_stream(void*, char* to, std::size_t n) {
  fill_random(to, n);
  return static_cast<ssize_t>(n);
}

}  // namespace

bool random_device(const char* path) {
  return controlled() && path != nullptr &&
         (std::strcmp(path, "/dev/urandom") == 0 || std::strcmp(path, "/dev/random") == 0);
}

int opened_random_device(int fd) {
  if (fd >= 0) {
    devices().insert(fd);
  }
  return fd;
}

bool reads_random_device(int fd) {
  return controlled() && !devices().empty() && devices().contains(fd);
}

void closed_descriptor(int fd) {
  if (controlled() && !devices().empty()) {
    devices().erase(fd);
  }
}

void closed_descriptors(unsigned first, unsigned last) {
  if (controlled() && !devices().empty()) {
    std::erase_if(devices(), [&](int fd) {
      return static_cast<unsigned>(fd) >= first && static_cast<unsigned>(fd) <= last;
    });
  }
}

FILE* random_stream() {
  return fopencookie(nullptr, "r", {read_stream, nullptr, nullptr, nullptr});
}

}  // namespace rff

using namespace rff;

RFF_EXPORT ssize_t getrandom(void* to, std::size_t n, unsigned flags) {
  if (!controlled()) {
    return RFF_REAL(getrandom)(to, n, flags);
  }
  fill_random(to, n);
  return static_cast<ssize_t>(n);
}

RFF_EXPORT int getentropy(void* to, std::size_t n) {
  if (!controlled()) {
    return RFF_REAL(getentropy)(to, n);
  }
  if (n > 256) {
    errno = EIO;
    return -1;
  }
  fill_random(to, n);
  return 0;
}

// Not every C library has these: only programs that link them call them.
RFF_EXPORT std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  getrandom(&value, sizeof value, 0);
  return value;
}

RFF_EXPORT void arc4random_buf(void* to, std::size_t n) noexcept {
  auto* byte = static_cast<char*>(to);
  while (n > 0) {
    std::size_t part = n < 256 ? n : 256;
    getrandom(byte, part, 0);
    byte += part;
    n -= part;
  }
}

RFF_EXPORT std::uint32_t arc4random_uniform(std::uint32_t bound) noexcept {
  std::uint64_t value = 0;
  getrandom(&value, sizeof value, 0);
  return static_cast<std::uint32_t>((static_cast<unsigned __int128>(value) * bound) >> 64);
}

// libstdc++'s std::random_device: unsigned _M_getval(), and the same of its older form. It would
// ask the processor, in code that is not patched.
RFF_EXPORT unsigned random_device_value(void*) asm("_ZNSt13random_device9_M_getvalEv");
RFF_EXPORT unsigned random_device_value(void* device) {
  if (!controlled()) {
    using Value = unsigned (*)(void*);
    static auto real =
        reinterpret_cast<Value>(dlsym(RTLD_NEXT, "_ZNSt13random_device9_M_getvalEv"));
    return real(device);
  }
  return arc4random();
}

RFF_EXPORT int mkostemps(char* pattern, int suffix, int flags) {
  return controlled() ? make_file(pattern, suffix, flags)
                      : RFF_REAL(mkostemps)(pattern, suffix, flags);
}
RFF_EXPORT int mkstemp(char* pattern) {
  return controlled() ? make_file(pattern, 0, 0) : RFF_REAL(mkstemp)(pattern);
}
RFF_EXPORT int mkstemps(char* pattern, int suffix) {
  return controlled() ? make_file(pattern, suffix, 0) : RFF_REAL(mkstemps)(pattern, suffix);
}
RFF_EXPORT int mkostemp(char* pattern, int flags) {
  return controlled() ? make_file(pattern, 0, flags) : RFF_REAL(mkostemp)(pattern, flags);
}
RFF_EXPORT int mkstemp64(char* pattern) { return mkstemp(pattern); }
RFF_EXPORT int mkstemps64(char* pattern, int suffix) { return mkstemps(pattern, suffix); }
RFF_EXPORT int mkostemp64(char* pattern, int flags) { return mkostemp(pattern, flags); }
RFF_EXPORT int mkostemps64(char* pattern, int suffix, int flags) {
  return mkostemps(pattern, suffix, flags);
}

RFF_EXPORT char* mkdtemp(char* pattern) noexcept {
  if (!controlled()) {
    return RFF_REAL(mkdtemp)(pattern);
  }
  return with_new_name(pattern, 0, [&] { return mkdir(pattern, 0700); }) == 0 ? pattern : nullptr;
}
