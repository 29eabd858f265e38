#include "libsched/snapshot/saved_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "libsched/snapshot/unwatched.h"
#include "libsched/support/places.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

using unwatched::address;
using unwatched::call;
using unwatched::kPopulateRead;

constexpr std::uint64_t kWordsOfPage = kPage / sizeof(std::uint64_t);

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

// Most of a large span may be empty: stacks, the arena.
template <typename Visit>
bool SavedPages::for_each_present(const Span& span, Visit visit) {
  constexpr std::uint64_t kLarge = 1 << 20;
  if (tracking_ != Tracking::kWrites || span.end - span.begin < kLarge) {
    return for_each_present_in(span.begin, span.end, visit);
  }
  for (std::uint64_t begin = span.begin; begin < span.end;) {
    WrittenPages::Region present[16];
    long n = WrittenPages::find_present(pagemap_, &begin, span.end, present, std::size(present));
    if (n < 0) {
      return for_each_present_in(begin, span.end, visit);
    }
    for (long i = 0; i < n; ++i) {
      if (!for_each_present_in(present[i].begin, present[i].end, visit)) {
        return false;
      }
    }
  }
  return true;
}

template <typename Visit>
bool SavedPages::for_each_present_in(std::uint64_t begin, std::uint64_t end, Visit visit) {
  constexpr std::uint64_t kPresentOrSwapped = std::uint64_t{3} << 62;
  constexpr std::uint64_t kGuard = std::uint64_t{1} << 58;  // it cannot be read
  for (std::uint64_t page = begin; page < end;) {
    if (!next_entries(page, end)) {
      return false;
    }
    for (std::size_t i = 0; i < std::size(entries_) && page < end; ++i, page += kPage) {
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
  const char* obstacle = written_.start();
  for (std::size_t i = 0; obstacle == nullptr && i < span_count_; ++i) {
    obstacle = written_.follow(spans_[i].begin, spans_[i].end);
  }
  // Pages that are not present count as written as soon as they are: only the others need this.
  for (std::size_t i = 0; obstacle == nullptr && i < count_;) {
    std::size_t last = i + 1;
    while (last < count_ && pages_[last].address == pages_[last - 1].address + kPage) {
      ++last;
    }
    obstacle = written_.forget_writes(pages_[i].address, pages_[last - 1].address + kPage);
    i = last;
  }
  if (obstacle == nullptr && !for_each_written([](std::uint64_t) {})) {
    obstacle = "this kernel does not tell which pages were written";
  }
  return obstacle;
}

template <typename Visit>
bool SavedPages::for_each_written(Visit visit, bool again) {
  std::uint64_t begin = spans_[0].begin;
  std::uint64_t end = spans_[span_count_ - 1].end;
  while (begin < end) {
    long n = WrittenPages::find(pagemap_, &begin, end, regions_, kRegions, again);
    if (n < 0) {
      return false;
    }
    for (long i = 0; i < n; ++i) {
      for (std::uint64_t page = regions_[i].begin; page < regions_[i].end; page += kPage) {
        visit(page);
      }
    }
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
      told = told && for_each_written([](std::uint64_t) {}, true);
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
  written_.close();
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
