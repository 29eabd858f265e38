// Memory mappings: newly mapped memory has no history, and gets a name for events.
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include <algorithm>
#include <cerrno>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

void forget(std::uint64_t address, std::uint64_t size) {
  forget_objects(address, size);
  runtime->run.shadow.forget(address, size);
}

std::uint64_t whole_pages(std::size_t size) { return (size + 4095) & ~std::uint64_t{4095}; }

void* mapped(void* at, std::size_t size, bool shared = false) {
  if (at != MAP_FAILED && controlled() && !InsideRuntime::active()) {
    InsideRuntime guard;
    runtime->process.shares_memory |= shared;
    auto address = reinterpret_cast<std::uint64_t>(at);
    forget(address, whole_pages(size));
    runtime->run.locations.mapped(address, whole_pages(size), runtime->run.execution.current());
  }
  return at;
}

bool shares_file(int flags, int fd) { return (flags & MAP_SHARED) != 0 && fd >= 0; }

// Maps below 2 GiB, where the kernel would choose a random address. Returns null if there is no
// room.
void* place_below_2g(std::size_t size, int protection, int flags, int fd, off_t offset) {
  constexpr std::uint64_t kBegin = 0x4000'0000;
  constexpr std::uint64_t kEnd = 0x8000'0000;
  static std::uint64_t next = kBegin;
  for (int round = 0; round < 2; ++round) {
    for (; size <= kEnd - next; next += whole_pages(size)) {
      void* at = RFF_REAL(mmap)(reinterpret_cast<void*>(next), size, protection,
                                (flags & ~MAP_32BIT) | MAP_FIXED_NOREPLACE, fd, offset);
      if (at != MAP_FAILED || errno != EEXIST) {
        next += at != MAP_FAILED ? whole_pages(size) : 0;
        return at;
      }
    }
    next = kBegin;
  }
  return nullptr;
}

void* map(void* place, std::size_t size, int protection, int flags, int fd, off_t offset) {
  bool low = place == nullptr && (flags & MAP_32BIT) != 0 && size > 0 && controlled();
  void* at = low ? place_below_2g(size, protection, flags, fd, offset) : nullptr;
  return mapped(at != nullptr ? at : RFF_REAL(mmap)(place, size, protection, flags, fd, offset),
                size, shares_file(flags, fd));
}

std::size_t segment_size(int segment) {
  shmid_ds about = {};
  return shmctl(segment, IPC_STAT, &about) == 0 ? about.shm_segsz : 0;
}

// A scheduling point, since another thread may be about to use the memory that is unmapped.
void about_to_unmap(const void* caller) {
  if (watched() && !InsideRuntime::active()) {
    Operation op = operation(OpKind::kSyscall, nullptr, caller);
    runtime->run.execution.perform(op);
    runtime->run.execution.progress.made();
  }
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT void* mmap(void* place, std::size_t size, int protection, int flags, int fd,
                      off_t offset) noexcept {
  return map(place, size, protection, flags, fd, offset);
}

RFF_EXPORT void* mmap64(void* place, std::size_t size, int protection, int flags, int fd,
                        off64_t offset) noexcept {
  return map(place, size, protection, flags, fd, offset);
}

RFF_EXPORT int munmap(void* at, std::size_t size) noexcept {
  about_to_unmap(RFF_CALLER);
  int result = RFF_REAL(munmap)(at, size);
  if (result == 0 && controlled()) {
    auto address = reinterpret_cast<std::uint64_t>(at);
    forget(address, whole_pages(size));
    runtime->run.locations.unmapped(address, whole_pages(size));
  }
  return result;
}

RFF_EXPORT void* mremap(void* old, std::size_t old_size, std::size_t size, int flags,
                        ...) noexcept {
  void* place = nullptr;
  if ((flags & MREMAP_FIXED) != 0) {
    va_list rest;
    va_start(rest, flags);
    place = va_arg(rest, void*);
    va_end(rest);
  }
  about_to_unmap(RFF_CALLER);
  void* at = RFF_REAL(mremap)(old, old_size, size, flags, place);
  if (at == old && controlled()) {
    // Content that stays is kept; only pages that were added or removed are forgotten.
    auto address = reinterpret_cast<std::uint64_t>(at);
    std::uint64_t before = whole_pages(old_size);
    std::uint64_t after = whole_pages(size);
    forget(address + std::min(before, after), std::max(before, after) - std::min(before, after));
    runtime->run.locations.mapped(address, after, runtime->run.execution.current());
  } else if (at != MAP_FAILED && controlled()) {
    forget(reinterpret_cast<std::uint64_t>(old), whole_pages(old_size));
    runtime->run.locations.unmapped(reinterpret_cast<std::uint64_t>(old), whole_pages(old_size));
    mapped(at, size);
  }
  return at;
}

RFF_EXPORT void* shmat(int segment, const void* place, int flags) noexcept {
  void* at = RFF_REAL(shmat)(segment, place, flags);
  return mapped(at, at != MAP_FAILED && controlled() ? segment_size(segment) : 0, true);
}

RFF_EXPORT int shmdt(const void* at) noexcept {
  about_to_unmap(RFF_CALLER);
  return RFF_REAL(shmdt)(at);
}
