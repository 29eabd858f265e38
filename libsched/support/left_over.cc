#include "libsched/support/left_over.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libsched/support/folder_entries.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

constexpr int kDepth = 32;

bool remove_at(long folder, const char* name, int depth) {
  struct stat s = {};
  auto word = reinterpret_cast<long>(name);
  if (depth > kDepth ||
      real::syscall6(SYS_newfstatat, folder, word, reinterpret_cast<long>(&s),
                     AT_SYMLINK_NOFOLLOW) != 0 ||
      s.st_uid != static_cast<uid_t>(real::syscall6(SYS_geteuid))) {
    return false;
  }
  if (!S_ISDIR(s.st_mode)) {
    return real::syscall6(SYS_unlinkat, folder, word, 0) == 0;
  }
  long inside = real::syscall6(SYS_openat, folder, word,
                               O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inside < 0) {
    return false;
  }
  for_each_entry(static_cast<int>(inside), [&](const char* entry) {
    if (strcmp(entry, ".") != 0 && strcmp(entry, "..") != 0) {
      remove_at(inside, entry, depth + 1);
    }
  });
  real::syscall6(SYS_close, inside);
  return real::syscall6(SYS_unlinkat, folder, word, AT_REMOVEDIR) == 0;
}

}  // namespace

bool remove_left_over(const char* path) { return remove_at(AT_FDCWD, path, 0); }

}  // namespace rff
