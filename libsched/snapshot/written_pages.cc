#include "libsched/snapshot/written_pages.h"

#include <fcntl.h>

#include "libsched/snapshot/unwatched.h"

namespace rff {
namespace {

using unwatched::address;
using unwatched::call;

// <linux/userfaultfd.h> and <linux/fs.h> of Linux 6.7, which older systems do not have.
constexpr long kUserModeOnly = 1;
constexpr std::uint64_t kApi = 0xaa;
constexpr std::uint64_t kWriteProtectAsync = 1 << 15;
constexpr std::uint64_t kModeWriteProtect = 2;  // of a registration
constexpr std::uint64_t kProtect = 1;           // UFFDIO_WRITEPROTECT_MODE_WP
constexpr long kIoApi = 0xc018aa3f;
constexpr long kIoRegister = 0xc020aa00;
constexpr long kIoWriteProtect = 0xc018aa06;
constexpr long kIoScan = 0xc0606610;        // PAGEMAP_SCAN
constexpr std::uint64_t kProtectAgain = 1;  // PM_SCAN_WP_MATCHING
constexpr std::uint64_t kWpAllowed = 1, kWritten = 2, kPresent = 8, kSwapped = 16;

struct ApiRequest {
  std::uint64_t api, features, ioctls;
};
struct RegisterRequest {
  std::uint64_t begin, bytes, mode, ioctls;
};
struct ProtectRequest {
  std::uint64_t begin, bytes, mode;
};
struct ScanRequest {
  std::uint64_t size, flags, begin, end, walk_end, regions, region_count, most_pages;
  std::uint64_t inverted, all_of, any_of, returned;
};
static_assert(sizeof(ScanRequest) == 0x60);

}  // namespace

const char* WrittenPages::start() {
  faults_ = unwatched::moved_high(call(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly));
  if (faults_ < 0) {
    return "userfaultfd is not allowed here";
  }
  ApiRequest api = {kApi, kWriteProtectAsync, 0};
  return call(SYS_ioctl, faults_, kIoApi, address(&api)) == 0
             ? nullptr
             : "this kernel does not tell which pages were written (Linux 6.7 and newer do)";
}

const char* WrittenPages::follow(std::uint64_t begin, std::uint64_t end) const {
  RegisterRequest all = {begin, end - begin, kModeWriteProtect, 0};
  return call(SYS_ioctl, faults_, kIoRegister, address(&all)) == 0
             ? nullptr
             : "the kernel does not track writes to a mapping of the program";
}

const char* WrittenPages::forget_writes(std::uint64_t begin, std::uint64_t end) const {
  ProtectRequest range = {begin, end - begin, kProtect};
  return call(SYS_ioctl, faults_, kIoWriteProtect, address(&range)) == 0
             ? nullptr
             : "the kernel does not protect a page of the program";
}

long WrittenPages::find(int pagemap, std::uint64_t* begin, std::uint64_t end, Region* regions,
                        std::size_t most, bool again) {
  return scan(pagemap, begin, end, regions, most, kWritten | kWpAllowed, again ? kProtectAgain : 0);
}

long WrittenPages::find_present(int pagemap, std::uint64_t* begin, std::uint64_t end,
                                Region* regions, std::size_t most) {
  return scan(pagemap, begin, end, regions, most, 0, 0);
}

long WrittenPages::scan(int pagemap, std::uint64_t* begin, std::uint64_t end, Region* regions,
                        std::size_t most, std::uint64_t all_of, std::uint64_t flags) {
  ScanRequest scan = {};
  scan.size = sizeof scan;
  scan.flags = flags;
  scan.begin = *begin;
  scan.end = end;
  scan.regions = reinterpret_cast<std::uint64_t>(regions);
  scan.region_count = most;
  scan.all_of = all_of;
  scan.any_of = kPresent | kSwapped;
  scan.returned = kPresent;
  long found = call(SYS_ioctl, pagemap, kIoScan, address(&scan));
  *begin = scan.walk_end;
  return found;
}

void WrittenPages::close() {
  if (faults_ >= 0) {
    call(SYS_close, faults_);
  }
}

}  // namespace rff
