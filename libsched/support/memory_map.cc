#include "libsched/support/memory_map.h"

#include <fcntl.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "libsched/support/places.h"
#include "libsched/support/real.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

// A file in /proc/self.
class OwnFile {
 public:
  explicit OwnFile(const char* path)
      : fd_(real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path),
                           O_RDONLY | O_CLOEXEC)) {}
  ~OwnFile() {
    if (fd_ >= 0) {
      real::syscall6(SYS_close, fd_);
    }
  }
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;
  bool open() const { return fd_ >= 0; }
  long read(void* to, std::size_t bytes) const {
    return real::syscall6(SYS_read, fd_, reinterpret_cast<long>(to), static_cast<long>(bytes));
  }
  long read_at(void* to, std::size_t bytes, std::uint64_t offset) const {
    return real::syscall6(SYS_pread64, fd_, reinterpret_cast<long>(to), static_cast<long>(bytes),
                          static_cast<long>(offset));
  }

 private:
  long fd_;
};

std::string read_all(const OwnFile& file) {
  std::string text;
  for (;;) {
    std::size_t before = text.size();
    text.resize(before + (64 << 10));
    long n = file.open() ? file.read(text.data() + before, text.size() - before) : 0;
    text.resize(before + static_cast<std::size_t>(std::max(n, 0L)));
    if (n <= 0) {
      return text;
    }
  }
}

std::uint64_t take_hex(std::string_view& text) {
  std::uint64_t value = 0;
  while (!text.empty()) {
    char c = text.front();
    std::uint64_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<std::uint64_t>(c - 'a') + 10;
    } else {
      break;
    }
    value = value << 4 | digit;
    text.remove_prefix(1);
  }
  return value;
}

bool zero(std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t a = begin; a < end; a += kWordBytes) {
    if (*reinterpret_cast<const std::uint64_t*>(a) != 0) {
      return false;
    }
  }
  return true;
}

constexpr std::uint64_t up(std::uint64_t address) { return (address + kPage) & ~(kPage - 1); }

// Tells which pages of a span are present, asking the kernel for up to 512 pages at a time.
class Presence {
 public:
  bool known() const { return file_.open(); }
  bool present(std::uint64_t address) {
    std::uint64_t page = address / kPage;
    if (page < first_ || page >= first_ + count_) {
      long n = file_.read_at(entries_, sizeof entries_, page * sizeof entries_[0]);
      first_ = page;
      count_ = n > 0 ? static_cast<std::uint64_t>(n) / sizeof entries_[0] : 0;
      if (count_ == 0) {
        return false;
      }
    }
    constexpr std::uint64_t kPresentOrSwapped = std::uint64_t{3} << 62;
    return (entries_[page - first_] & kPresentOrSwapped) != 0;
  }

 private:
  OwnFile file_{"/proc/self/pagemap"};
  std::uint64_t first_ = 0, count_ = 0;
  std::uint64_t entries_[512];
};

}  // namespace

// A line is "begin-end perms offset device inode path".
bool writable(std::string_view line, Span* span) {
  span->begin = take_hex(line);
  line.remove_prefix(std::min<std::size_t>(1, line.size()));
  span->end = take_hex(line);
  span->from_file = line.find('/') != std::string_view::npos;
  span->shared = line.size() > 4 && line[4] == 's';
  span->executable = line.size() > 4 && line[3] == 'x';
  return line.size() > 4 && line[2] == 'w';
}

std::vector<Span> writable_memory() {
  std::string text = read_all(OwnFile("/proc/self/maps"));
  std::vector<Span> spans;
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    Span span;
    if (writable(rest.substr(0, end), &span)) {
      spans.push_back(span);
    }
    rest.remove_prefix(end + 1);
  }
  constexpr long kLongest = places::kMoreRuntimeStackRunArena - places::kMoreRuntimeStackArena;
  leave_out(spans, places::kTurn, places::kStacks);
  leave_out(spans, places::kMoreArena, places::kMoreRuntimeStackRunArena + kLongest);
  return spans;
}

void leave_out(std::vector<Span>& spans, std::uint64_t begin, std::uint64_t end) {
  std::vector<Span> rest;
  for (const Span& s : spans) {
    if (s.begin < std::min(begin, s.end)) {
      rest.push_back({s.begin, std::min(begin, s.end), s.from_file});
    }
    if (s.end > std::max(end, s.begin)) {
      rest.push_back({std::max(end, s.begin), s.end, s.from_file});
    }
  }
  spans = std::move(rest);
}

bool page_content(std::uint64_t begin, std::uint64_t end, PageContent* content) {
  std::uint64_t first = 0;
  if (!probe_word(begin, &first)) {
    return false;
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  for (std::uint64_t at = begin; at < end; at += kWordBytes) {
    std::uint64_t word = *reinterpret_cast<const std::uint64_t*>(at);
    a = (a ^ word) * 0x9e3779b97f4a7c15ULL;
    a ^= a >> 29;
    b = b * 0xd6e8feb86659fd93ULL + word;
  }
  *content = {begin, end, a, b};
  return true;
}

bool memory_content(const std::vector<Span>& spans, std::vector<PageContent>* content) {
  content->clear();
  Presence presence;
  if (!presence.known()) {
    return false;
  }
  for (const Span& s : spans) {
    std::uint64_t end = s.end & ~(kWordBytes - 1);
    for (std::uint64_t at = (s.begin + 7) & ~(kWordBytes - 1); at < end;) {
      std::uint64_t next = std::min(up(at), end);
      PageContent page;
      if ((s.from_file || presence.present(at)) && page_content(at, next, &page) &&
          !zero(at, next)) {
        content->push_back(page);
      }
      at = next;
    }
  }
  return true;
}

}  // namespace rff
