// Replacement for the C library in librff_place.so, which runs while the process has none.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "libsched/support/real.h"

namespace rff::placement {

inline constexpr std::uint64_t kPage = 4096;
inline std::uint64_t page_down(std::uint64_t address) { return address & ~(kPage - 1); }
inline std::uint64_t page_up(std::uint64_t address) { return page_down(address + kPage - 1); }

template <typename Pointer>
long as_long(const Pointer* pointer) {
  return reinterpret_cast<long>(pointer);
}

inline std::size_t length(const char* text) {
  std::size_t n = 0;
  while (text[n] != 0) {
    ++n;
  }
  return n;
}

// Returns the text after `prefix`; null if `text` does not begin with it.
inline const char* after(const char* text, const char* prefix) {
  for (; *prefix != 0; ++text, ++prefix) {
    if (*text != *prefix) {
      return nullptr;
    }
  }
  return text;
}

inline char* copy(char* to, const void* from, std::size_t bytes) {
  const char* next = static_cast<const char*>(from);
  void* end = to + bytes;
  asm volatile("rep movsb" : "+D"(to), "+S"(next), "+c"(bytes) : : "memory");
  return static_cast<char*>(end);
}

inline void clear(std::uint64_t at, std::size_t bytes) {
  asm volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(0) : "memory");
}

// Returns -errno on failure.
inline long map(std::uint64_t at, std::uint64_t bytes, int protection, int flags, long file = -1,
                std::uint64_t offset = 0) {
  return real::syscall6(SYS_mmap, static_cast<long>(at), static_cast<long>(bytes), protection,
                        MAP_PRIVATE | flags, file, static_cast<long>(offset));
}

inline long unmap(std::uint64_t begin, std::uint64_t end) {
  return begin >= end
             ? 0
             : real::syscall6(SYS_munmap, static_cast<long>(begin), static_cast<long>(end - begin));
}

// Mappings that only reserve addresses.
inline constexpr int kReserve = MAP_ANONYMOUS | MAP_NORESERVE;

// Ends the process with status 3 and one line: for the user, and in `shared`, the file of the
// memory shared with the fuzzer, or -1.
[[noreturn]] void fail(long shared, const char* cause, const char* remedy);

}  // namespace rff::placement
