#include "libsched/embedded/image.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "libsched/snapshot/unwatched.h"
#include "libsched/snapshot/written_pages.h"
#include "libsched/support/arena.h"
#include "libsched/support/check.h"
#include "libsched/support/real.h"
#include "libsched/support/words.h"
#include "schedule/shared_memory.h"

// The beginning of this library.
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

namespace rff {
namespace {

std::uint64_t page_of(const char* place) {
  return reinterpret_cast<std::uint64_t>(place) & ~(kPage - 1);
}

// In memory of its own.
char* map(std::size_t bytes) {
  long at = real::syscall6(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at < 0) {
    panic("out of memory");
  }
  return reinterpret_cast<char*>(at);
}

}  // namespace

// The answers of the kernel. They are about this process only, so in a child this memory is zero.
struct RuntimeImage::Watch {
  enum State { kUnknown, kFollows, kDoesNot };
  State state;
  int pagemap;
  WrittenPages written;
  std::uint32_t restored;  // how often, since writes are followed
  static constexpr std::size_t kRegions = 64;
  WrittenPages::Region regions[kRegions];

  void end() {
    if (state == kFollows) {
      unwatched::call(SYS_close, pagemap);
      written.close();
    }
    state = kUnknown;
    restored = 0;
  }
};

void RuntimeImage::add(void* place, std::size_t bytes) {
  if (bytes > 0) {
    RFF_CHECK(count_ < kMostParts);
    parts_[count_++] = {static_cast<char*>(place), bytes};
  }
}

void RuntimeImage::save() {
  count_ = 0;
  auto own = reinterpret_cast<std::uint64_t>(&__ehdr_start);
  auto* headers = reinterpret_cast<const Elf64_Phdr*>(own + __ehdr_start.e_phoff);
  for (int i = 0; i < __ehdr_start.e_phnum; ++i) {
    if (headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_W) != 0) {
      add(reinterpret_cast<void*>(own + headers[i].p_vaddr), headers[i].p_memsz);
    }
  }
  for (const MemorySpan& span : memory_before_runs()) {
    add(span.begin, span.bytes);
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    bytes += parts_[i].bytes;
  }
  if (bytes > room_) {
    if (room_ > 0) {
      real::syscall6(SYS_munmap, reinterpret_cast<long>(copies_), static_cast<long>(room_));
    }
    copies_ = map(bytes);
    room_ = bytes;
  }
  char* copy = copies_;
  for (std::size_t i = 0; i < count_; ++i) {
    parts_[i].copy = copy;
    copy += parts_[i].bytes;
  }
  if (watch_ == nullptr) {
    watch_ = reinterpret_cast<Watch*>(map(sizeof(Watch)));
    real::syscall6(SYS_madvise, reinterpret_cast<long>(watch_), sizeof(Watch), MADV_WIPEONFORK);
  }
  watch_->end();
  // This object is part of what is copied: it is complete now.
  for (std::size_t i = 0; i < count_; ++i) {
    std::memcpy(parts_[i].copy, parts_[i].place, parts_[i].bytes);
  }
}

// Requires: the memory is as the copy.
void RuntimeImage::follow_writes() const {
  Watch& watch = *watch_;
  watch.end();
  watch.state = Watch::kDoesNot;
  const char* wanted = std::getenv(kSnapshotVariable);
  std::string_view way = wanted != nullptr ? wanted : "";
  if (way == "copy" || way == "off") {
    return;
  }
  watch.written = {};
  watch.pagemap = unwatched::moved_high(unwatched::call(
      SYS_openat, AT_FDCWD, unwatched::address("/proc/self/pagemap"), O_RDONLY | O_CLOEXEC));
  const char* obstacle = watch.pagemap < 0 ? "no pagemap" : watch.written.start();
  for (std::size_t i = 0; obstacle == nullptr && i < count_; ++i) {
    const Part& part = parts_[i];
    std::uint64_t end = page_of(part.place + part.bytes - 1) + kPage;
    // A page that was never written may still be that of the file.
    for (std::uint64_t page = page_of(part.place); page < end; page += kPage) {
      auto* in_part = std::max(part.place, reinterpret_cast<char*>(page));
      *static_cast<volatile char*>(in_part) = *static_cast<volatile char*>(in_part);
    }
    obstacle = watch.written.follow(page_of(part.place), end);
    obstacle =
        obstacle != nullptr ? obstacle : watch.written.forget_writes(page_of(part.place), end);
  }
  watch.state = Watch::kFollows;
  if (obstacle != nullptr) {
    watch.end();
    watch.state = Watch::kDoesNot;
  }
}

// Puts back what of a part lies in a region.
void RuntimeImage::put_back(const Part& part, std::uint64_t begin, std::uint64_t end) {
  char* from = std::max(part.place, reinterpret_cast<char*>(begin));
  char* to = std::min(part.place + part.bytes, reinterpret_cast<char*>(end));
  if (from < to) {
    std::memcpy(from, part.copy + (from - part.place), static_cast<std::size_t>(to - from));
  }
}

// Returns false if the kernel does not say what was written. Asks once for parts that are close.
bool RuntimeImage::restore_written() const {
  constexpr std::uint64_t kClose = 1 << 20;
  for (std::size_t first = 0, next = 0; first < count_; first = next) {
    std::uint64_t at = page_of(parts_[first].place);
    std::uint64_t end = at;
    for (; next < count_ && page_of(parts_[next].place) - end < kClose; ++next) {
      end = page_of(parts_[next].place + parts_[next].bytes - 1) + kPage;
    }
    while (at < end) {
      long n = WrittenPages::find(watch_->pagemap, &at, end, watch_->regions, Watch::kRegions);
      if (n < 0) {
        return false;
      }
      for (long r = 0; r < n; ++r) {
        for (std::size_t i = first; i < next; ++i) {
          put_back(parts_[i], watch_->regions[r].begin, watch_->regions[r].end);
        }
      }
    }
  }
  if (++watch_->restored % kRunsBetween == 0) {
    forget_writes();
  }
  return true;
}

// A page that was written once is put back after every run, which costs less than to be told of the
// next write to it, until here: what one large run wrote is not put back for ever. Requires: the
// memory is as the copy.
void RuntimeImage::forget_writes() const {
  for (std::size_t i = 0; i < count_; ++i) {
    std::uint64_t end = page_of(parts_[i].place + parts_[i].bytes - 1) + kPage;
    if (watch_->written.forget_writes(page_of(parts_[i].place), end) != nullptr) {
      watch_->end();
      watch_->state = Watch::kDoesNot;
      return;
    }
  }
}

void RuntimeImage::restore() const {
  if (watch_->state == Watch::kFollows && restore_written()) {
    return;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    std::memcpy(parts_[i].place, parts_[i].copy, parts_[i].bytes);
  }
  if (watch_->state != Watch::kDoesNot) {
    follow_writes();
  }
}

bool RuntimeImage::follows_writes() const { return watch_->state == Watch::kFollows; }

void RuntimeImage::stop_following() const { watch_->end(); }

std::uint64_t RuntimeImage::first_difference() const {
  for (std::size_t i = 0; i < count_; ++i) {
    const Part& part = parts_[i];
    auto [here, there] = std::mismatch(part.place, part.place + part.bytes, part.copy);
    if (here != part.place + part.bytes) {
      return reinterpret_cast<std::uint64_t>(here);
    }
  }
  return 0;
}

}  // namespace rff
