#include "libsched/process/output_tee.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "libsched/libc/streams.h"
#include "libsched/support/own_descriptors.h"
#include "libsched/support/real.h"
#include "libsched/support/runtime_stack.h"
#include "libsched/support/words.h"

namespace rff::output_tee {
namespace {

SharedOutput* output = nullptr;

// Returns false if the program has replaced the descriptor by a file of its own: that is data, not
// its output.
bool says(int fd) {
  struct stat s = {};
  return (fd == STDOUT_FILENO || fd == STDERR_FILENO) &&
         real::syscall6(SYS_fstat, fd, reinterpret_cast<long>(&s)) == 0 && S_ISCHR(s.st_mode) &&
         s.st_rdev == makedev(1, 3);
}

// Needed because /dev/null, to which the program writes, accepts invalid addresses.
bool readable(const void* from, std::size_t bytes) {
  auto begin = reinterpret_cast<std::uint64_t>(from);
  std::uint64_t word = 0;
  for (std::uint64_t at = begin & ~(kPage - 1); at < begin + bytes; at += kPage) {
    if (!probe_word(at, &word)) {
      return false;
    }
  }
  return true;
}

// Unlike the shared memory, the file of a driver has room for everything.
void copy(const char* from, std::size_t bytes) {
  int file = own_descriptors::get(own_descriptors::kOutputCopy);
  for (std::size_t done = 0; file >= 0 && done < bytes;) {
    long n = real::syscall6(SYS_write, file, reinterpret_cast<long>(from + done),
                            static_cast<long>(bytes - done));
    if (n <= 0 && n != -EINTR) {
      return;
    }
    done += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
}

void keep(int fd, const void* from, std::size_t bytes) {
  if (output != nullptr && says(fd) && readable(from, bytes)) {
    output->append({static_cast<const char*>(from), bytes});
    copy(static_cast<const char*>(from), bytes);
  }
}

void keep_of_stream(const FILE* f, const void* from, std::size_t bytes) {
  keep(f->_fileno, from, bytes);
}

}  // namespace

void start(SharedOutput& where) {
  output = &where;
  output->total.store(0);
  streams::tap_writes(keep_of_stream);
}

void writes(int fd, const void* from, std::size_t bytes) {
  if (fd == STDOUT_FILENO || fd == STDERR_FILENO) {
    on_runtime_stack([&] { keep(fd, from, bytes); });
  }
}

void writes(int fd, const iovec* parts, int count) {
  if (fd == STDOUT_FILENO || fd == STDERR_FILENO) {
    on_runtime_stack([&] {
      for (int i = 0; i < count; ++i) {
        keep(fd, parts[i].iov_base, parts[i].iov_len);
      }
    });
  }
}

void end() {
  if (output != nullptr) {
    streams::tell_unwritten(keep_of_stream);
    output = nullptr;
  }
}

}  // namespace rff::output_tee
