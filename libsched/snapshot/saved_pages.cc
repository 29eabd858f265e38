#include "libsched/snapshot/saved_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "libsched/snapshot/unwatched.h"
#include "libsched/support/places.h"

namespace rff {
namespace {

using unwatched::address;
using unwatched::call;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kWordsOfPage = kPage / sizeof(std::uint64_t);

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
struct Region {
  std::uint64_t begin, end, categories;
};
struct ScanRequest {
  std::uint64_t size, flags, begin, end, walk_end, regions, region_count, most_pages;
  std::uint64_t inverted, all_of, any_of, returned;
};
static_assert(sizeof(ScanRequest) == 0x60);

long open_own(const char* path) {
  return call(SYS_openat, AT_FDCWD, address(path), O_RDONLY | O_CLOEXEC);
}

void copy_page(std::uint64_t to, const std::uint64_t* from) {
  std::uint64_t words = kWordsOfPage;
  asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

void clear_page(std::uint64_t page) {
  std::uint64_t words = kWordsOfPage;
  asm volatile("rep stosq" : "+D"(page), "+c"(words) : "a"(0L) : "memory");
}

// What a page of a file contains is known while it is still the file's. There may be none beyond
// the end of the file, and no run can write there.
bool read_file_pages(const Span& span) {
  constexpr long kPopulateRead = 22;  // MADV_POPULATE_READ, since Linux 5.14
  return call(SYS_madvise, static_cast<long>(span.begin), static_cast<long>(span.end - span.begin),
              kPopulateRead) != -EINVAL;
}

}  // namespace

const char* SavedPages::save(Tracking tracking, std::uint64_t end) {
  tracking_ = tracking;
  pagemap_ = unwatched::moved_high(open_own("/proc/self/pagemap"));
  if (pagemap_ < 0) {
    return "/proc/self/pagemap cannot be read";
  }
  const char* obstacle = find_spans();
  if (obstacle == nullptr) {
    obstacle = save_pages(end);
  }
  if (obstacle == nullptr && tracking == Tracking::kWrites) {
    obstacle = track_writes();
  }
  return obstacle;
}

// Visits the private writable mappings, except for the worker's.
template <typename Visit>
bool SavedPages::for_each_span(Visit visit) {
  auto maps = static_cast<int>(open_own("/proc/self/maps"));
  if (maps < 0) {
    return false;
  }
  std::size_t kept = 0;
  for (;;) {
    long n = call(SYS_read, maps, address(text_ + kept), static_cast<long>(sizeof text_ - kept));
    if (n <= 0) {
      break;
    }
    std::string_view text(text_, kept + static_cast<std::size_t>(n));
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
      Span span;
      if (writable(text.substr(0, end), &span) && !span.shared &&
          (span.begin < places::kTurn || span.begin >= places::kOwn)) {
        visit(span);
      }
      text.remove_prefix(end + 1);
    }
    kept = text.size();
    std::memmove(text_, text.data(), kept);
  }
  call(SYS_close, maps);
  return true;
}

const char* SavedPages::find_spans() {
  bool room = true;
  bool told = for_each_span([&](const Span& span) {
    room = room && span_count_ < kMostSpans;
    if (room) {
      spans_[span_count_++] = span;
    }
  });
  return !told  ? "/proc/self/maps cannot be read"
         : room ? nullptr
                : "the program has too many mappings";
}

// Reads what the kernel knows of up to kRegions pages from `page` on.
bool SavedPages::next_entries(std::uint64_t page, std::uint64_t end) {
  std::uint64_t count = std::min<std::uint64_t>((end - page) / kPage, std::size(entries_));
  auto bytes = static_cast<long>(count * sizeof entries_[0]);
  return call(SYS_pread64, pagemap_, address(entries_), bytes,
              static_cast<long>(page / kPage * sizeof entries_[0])) == bytes;
}

template <typename Visit>
bool SavedPages::for_each_present(const Span& span, Visit visit) {
  constexpr std::uint64_t kPresentOrSwapped = std::uint64_t{3} << 62;
  constexpr std::uint64_t kGuard = std::uint64_t{1} << 58;  // it cannot be read
  for (std::uint64_t page = span.begin; page < span.end;) {
    if (!next_entries(page, span.end)) {
      return false;
    }
    for (std::size_t i = 0; i < std::size(entries_) && page < span.end; ++i, page += kPage) {
      if ((entries_[i] & kGuard) != 0) {
        return false;
      }
      if ((entries_[i] & kPresentOrSwapped) != 0) {
        visit(page);
      }
    }
  }
  return true;
}

const char* SavedPages::save_pages(std::uint64_t end) {
  std::uint64_t copy = (reinterpret_cast<std::uint64_t>(this + 1) + kPage - 1) & ~(kPage - 1);
  std::uint64_t first = copy;
  std::size_t most = tracking_ == Tracking::kCopy ? kMostCopied : kMostPages;
  bool told = true;
  for (std::size_t i = 0; i < span_count_; ++i) {
    const Span& span = spans_[i];
    if (span.from_file && !read_file_pages(span)) {
      return "pages of a file cannot be read ahead (Linux 5.14 and newer do)";
    }
    told = told && count_ <= most && for_each_present(span, [&](std::uint64_t page) {
             if (count_ < most && copy + kPage <= end) {
               auto* place = reinterpret_cast<std::uint64_t*>(copy);
               copy_page(copy, reinterpret_cast<const std::uint64_t*>(page));
               pages_[count_] = {page, place};
               copy += kPage;
             }
             ++count_;
           });
  }
  if (count_ > most || copy + kPage > end) {
    return "the program has too much memory";
  }
  if (!told) {
    return "the kernel does not tell which pages are present";
  }
  call(SYS_mprotect, static_cast<long>(first), static_cast<long>(copy - first), PROT_READ);
  return nullptr;
}

const char* SavedPages::track_writes() {
  faults_ = unwatched::moved_high(call(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly));
  if (faults_ < 0) {
    return "userfaultfd is not allowed here";
  }
  ApiRequest api = {kApi, kWriteProtectAsync, 0};
  if (call(SYS_ioctl, faults_, kIoApi, address(&api)) != 0) {
    return "this kernel does not tell which pages were written (Linux 6.7 and newer do)";
  }
  for (std::size_t i = 0; i < span_count_; ++i) {
    RegisterRequest all = {spans_[i].begin, spans_[i].end - spans_[i].begin, kModeWriteProtect, 0};
    if (call(SYS_ioctl, faults_, kIoRegister, address(&all)) != 0) {
      return "the kernel does not track writes to a mapping of the program";
    }
  }
  // Pages that are not present count as written as soon as they are: only the others need this.
  for (std::size_t i = 0; i < count_;) {
    std::size_t last = i + 1;
    while (last < count_ && pages_[last].address == pages_[last - 1].address + kPage) {
      ++last;
    }
    ProtectRequest range = {pages_[i].address, (last - i) * kPage, kProtect};
    if (call(SYS_ioctl, faults_, kIoWriteProtect, address(&range)) != 0) {
      return "the kernel does not protect a page of the program";
    }
    i = last;
  }
  bool works = for_each_written([](std::uint64_t) {});
  return works ? nullptr : "this kernel does not tell which pages were written";
}

template <typename Visit>
bool SavedPages::for_each_written(Visit visit, std::uint64_t flags) {
  auto* regions = reinterpret_cast<Region*>(entries_);
  ScanRequest scan = {};
  scan.size = sizeof scan;
  scan.flags = flags;
  scan.begin = spans_[0].begin;
  scan.end = spans_[span_count_ - 1].end;
  scan.regions = reinterpret_cast<std::uint64_t>(regions);
  scan.region_count = kRegions;
  scan.all_of = kWritten | kWpAllowed;
  scan.any_of = kPresent | kSwapped;
  scan.returned = kPresent;
  while (scan.begin < scan.end) {
    scan.walk_end = 0;
    long n = call(SYS_ioctl, pagemap_, kIoScan, address(&scan));
    if (n < 0) {
      return false;
    }
    for (long i = 0; i < n; ++i) {
      for (std::uint64_t page = regions[i].begin; page < regions[i].end; page += kPage) {
        visit(page);
      }
    }
    scan.begin = scan.walk_end;
  }
  return true;
}

// `next`: the first of pages_ that may be this one.
void SavedPages::put_back(std::uint64_t page, std::size_t* next) const {
  while (*next < count_ && pages_[*next].address < page) {
    ++*next;
  }
  if (*next < count_ && pages_[*next].address == page) {
    copy_page(page, pages_[*next].copy);
  } else {
    clear_page(page);
  }
}

bool SavedPages::restore() {
  std::size_t next = 0;
  if (tracking_ == Tracking::kWrites) {
    bool told = for_each_written([&](std::uint64_t page) { put_back(page, &next); });
    if (++restored_ % kRelearn == 0) {
      told = told && for_each_written([](std::uint64_t) {}, kProtectAgain);
    }
    return told;
  }
  bool told = true;
  for (std::size_t i = 0; i < span_count_; ++i) {
    told = told && for_each_present(spans_[i], [&](std::uint64_t page) { put_back(page, &next); });
  }
  return told;
}

void SavedPages::close() {
  call(SYS_close, pagemap_);
  if (faults_ >= 0) {
    call(SYS_close, faults_);
  }
}

std::uint64_t SavedPages::first_difference() {
  std::size_t next = 0;
  std::uint64_t changed = 0;
  std::size_t spans = 0;
  for_each_span([&](const Span& now) {
    const Span& before = spans_[std::min(spans, span_count_ - 1)];
    if (spans++ >= span_count_ || before.begin != now.begin || before.end != now.end) {
      changed = changed == 0 ? now.begin : changed;
    }
  });
  for (std::size_t i = 0; i < span_count_; ++i) {
    for_each_present(spans_[i], [&](std::uint64_t page) {
      while (next < count_ && pages_[next].address < page) {
        ++next;
      }
      bool saved = next < count_ && pages_[next].address == page;
      auto* now = reinterpret_cast<const std::uint64_t*>(page);
      for (std::uint64_t w = 0; w < kWordsOfPage && changed == 0; ++w) {
        if (now[w] != (saved ? pages_[next].copy[w] : 0)) {
          changed = page;
        }
      }
    });
  }
  return changed;
}

}  // namespace rff
