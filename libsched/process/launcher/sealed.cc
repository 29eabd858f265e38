#include "libsched/process/launcher/sealed.h"

#include <fcntl.h>

#include "libsched/process/launcher/raw.h"

namespace rff::placement {
namespace {

// Reads /proc/self/maps line by line.
class Mappings {
 public:
  Mappings()
      : file_(real::syscall6(SYS_openat, AT_FDCWD, as_long("/proc/self/maps"),
                             O_RDONLY | O_CLOEXEC)) {}
  ~Mappings() { real::syscall6(SYS_close, file_); }
  Mappings(const Mappings&) = delete;
  Mappings& operator=(const Mappings&) = delete;

  // Returns false if there are no more.
  bool next(std::uint64_t* begin, std::uint64_t* end) {
    *begin = number();
    *end = number();
    int c = 0;
    while ((c = character()) > 0 && c != '\n') {
    }
    return c == '\n';
  }

 private:
  int character() {
    if (at_ == filled_) {
      filled_ = real::syscall6(SYS_read, file_, as_long(buffer_), sizeof buffer_);
      at_ = 0;
    }
    return filled_ <= 0 ? 0 : buffer_[at_++];
  }
  // Reads a number and the character after it.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int c = character(); c > 0; c = character()) {
      int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0) {
        break;
      }
      value = 16 * value + static_cast<std::uint64_t>(digit);
    }
    return value;
  }

  long file_;
  long at_ = 0, filled_ = 0;
  char buffer_[1024];
};

}  // namespace

bool reserve_around_sealed(std::uint64_t begin, std::uint64_t end) {
  {
    // The list changes while it is read, but only after the current position.
    Mappings mappings;
    for (std::uint64_t from = 0, to = 0; mappings.next(&from, &to);) {
      if (from >= begin && to <= end) {
        unmap(from, to);
      }
    }
  }
  Mappings mappings;
  auto reserve = [](std::uint64_t from, std::uint64_t to) {
    return from >= to || map(from, to - from, PROT_NONE, kReserve | MAP_FIXED_NOREPLACE) >= 0;
  };
  std::uint64_t next = begin;
  for (std::uint64_t from = 0, to = 0; mappings.next(&from, &to);) {
    if (from >= begin && to <= end) {
      if (!reserve(next, from)) {
        return false;
      }
      next = to;
    }
  }
  return reserve(next, end);
}

}  // namespace rff::placement
