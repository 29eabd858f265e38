#include "libsched/support/own_descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <iterator>

#include "libsched/support/arena.h"
#include "libsched/support/real.h"
#include "schedule/input_parts.h"

namespace rff::own_descriptors {
namespace {

// Runs write to it when they begin. Stores number + 1, so that it is initially zero like everything
// else on the page that every run writes; 0: none.
struct Numbers {
  int plus_one[kUses];
};
alignas(kOnBusyPage) constinit Numbers numbers = {};

void set(int use, long fd) { numbers.plus_one[use] = fd < 0 ? 0 : static_cast<int>(fd) + 1; }

int number(int use) { return numbers.plus_one[use] - 1; }

// High numbers, since the program expects the lowest free ones.
constexpr long kUsual = 900;
// Every run has this descriptor, and forks take longer the higher it is. Numbers up to 255 cost no
// more than those of the fork server.
constexpr long kUsualTurn = 250;
static_assert(kInputDescriptor > kUsualTurn && kUses - kInput == kMostParts);

// Raises the limit of open files to the hard limit while it exists. Afterwards descriptors above
// the program's own limit stay open.
class RaisedLimit {
 public:
  RaisedLimit() {
    real::syscall6(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, reinterpret_cast<long>(&limit_));
    raised_ = limit_.rlim_cur < limit_.rlim_max && set({limit_.rlim_max, limit_.rlim_max});
  }
  ~RaisedLimit() {
    if (raised_) {
      set(limit_);
    }
  }
  RaisedLimit(const RaisedLimit&) = delete;
  RaisedLimit& operator=(const RaisedLimit&) = delete;
  rlim_t now() const { return raised_ ? limit_.rlim_max : limit_.rlim_cur; }

 private:
  static bool set(const rlimit& limit) {
    return real::syscall6(SYS_prlimit64, 0, RLIMIT_NOFILE, reinterpret_cast<long>(&limit), 0) == 0;
  }

  rlimit limit_ = {};
  bool raised_ = false;
};

// Duplicates `fd` at the usual number or above, or as high as the limit of open files allows.
long duplicate_high(int use, int fd) {
  RaisedLimit limit;
  rlim_t usual = use == kTurn    ? kUsualTurn
                 : use >= kInput ? static_cast<rlim_t>(kInputDescriptor + use - kInput)
                                 : kUsual;
  long from = static_cast<long>(std::min(limit.now(), usual + 1)) - 1;
  long high = -EMFILE;
  for (; (high == -EMFILE || high == -EINVAL) && from > 2; --from) {
    high = real::syscall6(SYS_fcntl, fd, F_DUPFD_CLOEXEC, from);
  }
  return high;
}

}  // namespace

void start(bool served) {
  if (!served) {
    long null = open("/dev/null", O_RDONLY);
    bool taken = null >= 0 && real::syscall6(SYS_dup3, null, kFuzzersControl, O_CLOEXEC) >= 0 &&
                 real::syscall6(SYS_dup3, null, kFuzzersStatus, O_CLOEXEC) >= 0;
    if (null >= 0) {
      real::syscall6(SYS_close, null);
    }
    if (!taken) {
      return;
    }
  }
  set(kControl, kFuzzersControl);
  set(kStatus, kFuzzersStatus);
}

void put_back() {
  constexpr int kPlaces[] = {kFuzzersControl, kFuzzersStatus};
  for (int use : {kControl, kStatus}) {
    if (number(use) >= 0 && number(use) != kPlaces[use]) {
      real::syscall6(SYS_dup3, number(use), kPlaces[use], 0);
      real::syscall6(SYS_close, number(use));
      set(use, kPlaces[use]);
    }
  }
}

void leave_to_next_program(Use use, int place) {
  if (number(use) >= 0) {
    real::syscall6(SYS_dup3, number(use), place, 0);
  }
}

void close_servers() {
  if (number(kControl) >= 0 && number(kStatus) == number(kControl) + 1 &&
      real::syscall6(SYS_close_range, number(kControl), number(kStatus), 0) == 0) {
    set(kControl, -1);  // since Linux 5.9
    set(kStatus, -1);
  }
  close(kControl);
  close(kStatus);
}

long open(const char* path, int flags) {
  auto try_it = [&] {
    return real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), flags | O_CLOEXEC);
  };
  long fd = try_it();
  if (fd == -EMFILE) {
    RaisedLimit limit;
    fd = try_it();
  }
  return fd;
}

int keep(Use use, int fd) {
  long high = duplicate_high(use, fd);
  real::syscall6(SYS_close, fd);
  set(use, high);
  return number(use);
}

int get(Use use) { return number(use); }

void close(Use use) {
  if (number(use) >= 0) {
    real::syscall6(SYS_close, number(use));
    set(use, -1);
  }
}

bool contains(int fd) {
  const auto& all = numbers.plus_one;
  return fd >= 0 && std::find(all, std::end(all), fd + 1) != std::end(all);
}

void make_room(int fd) {
  for (int use = 0; use < kUses; ++use) {
    if (number(use) == fd && fd >= 0) {
      set(use, duplicate_high(use, fd));
    }
  }
}

}  // namespace rff::own_descriptors
