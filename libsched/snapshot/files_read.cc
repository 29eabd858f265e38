#include "libsched/snapshot/files_read.h"

#include <sys/stat.h>
#include <unistd.h>

#include "libsched/snapshot/made_descriptors.h"

namespace rff {

bool FilesRead::make(const CallMade& c, long* result) {
  bool reads = c.number == SYS_read || c.number == SYS_readv || c.number == SYS_pread64 ||
               c.number == SYS_lseek;
  if (!reads || c.arguments[0] >= MadeDescriptors::kEnd ||
      !remember(static_cast<int>(c.arguments[0]))) {
    return false;
  }
  *result = make_as_it_is(c);
  return true;
}

bool FilesRead::remember(int descriptor) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (files_[i].descriptor == descriptor) {
      return true;
    }
  }
  struct stat s = {};
  if (count_ == kMost || unwatched::call(SYS_fstat, descriptor, unwatched::address(&s)) != 0 ||
      !S_ISREG(s.st_mode)) {
    return false;
  }
  files_[count_++] = {descriptor, unwatched::call(SYS_lseek, descriptor, 0, SEEK_CUR)};
  return true;
}

void FilesRead::put_back() {
  while (count_ > 0) {
    const File& file = files_[--count_];
    unwatched::call(SYS_lseek, file.descriptor, file.offset, SEEK_SET);
  }
}

}  // namespace rff
