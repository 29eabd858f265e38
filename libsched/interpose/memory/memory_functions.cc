// The mem… and str… functions as accesses to ranges: first the read, then the write, each of which
// may be a scheduling point. The data read is kept meanwhile, as a copy loop would keep it in
// registers.
#include "libsched/interpose/memory/memory_functions.h"

#include <cstring>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/memory/compared_bytes.h"
#include "libsched/report/stack_walk.h"

namespace rff::ranges {

bool noticed(const void* caller) {
  if (!seen() || InsideRuntime::active()) {
    return false;
  }
  // A sanitizer that is linked into the program is called first, and then calls these functions for
  // the program, but also for its own work, in which it must not be stopped.
  auto address = reinterpret_cast<std::uint64_t>(caller);
  const Sanitizer& sanitizer = runtime->process.sanitizer;
  if (sanitizer.is_code(address)) {
    if (!sanitizer.is_linked_code(address)) {
      return false;
    }
    address = frame_above(address);
    if (sanitizer.is_code(address)) {
      return false;
    }
  }
  // The unwinder's accesses depend on the frames below the program's own, and a sanitizer that
  // reports an error calls it with a lock for which others wait unseen. Code without a known
  // module may be the unwinder too: the C library can load it without notice.
  const Module* m = runtime->process.modules.find(address);
  return m != nullptr && !m->unwinder;
}

namespace {

void range(OpKind op, const void* at, std::size_t n, const void* caller) {
  if (runtime->process.sanitizer.owns(reinterpret_cast<std::uint64_t>(at))) {
    return;
  }
  runtime->run.accesses.range(runtime->run.execution.current(), op,
                              reinterpret_cast<std::uint64_t>(at), n, runtime->code(caller));
}

// Returns the number of bytes that a comparison reads.
std::size_t compared(const void* a, const void* b, std::size_t most, bool strings) {
  const auto* x = static_cast<const volatile unsigned char*>(a);
  const auto* y = static_cast<const volatile unsigned char*>(b);
  for (std::size_t i = 0; i < most; ++i) {
    if (x[i] != y[i] || (strings && x[i] == 0)) {
      return i + 1;
    }
  }
  return most;
}

void reads_compared(const void* a, const void* b, std::size_t most, bool strings,
                    const void* caller) {
  std::size_t n = compared(a, b, most, strings);
  reads(a, n, caller);
  reads(b, n, caller);
}

}  // namespace

void reads(const void* at, std::size_t n, const void* caller) {
  range(OpKind::kRead, at, n, caller);
}
void writes(const void* at, std::size_t n, const void* caller) {
  range(OpKind::kWrite, at, n, caller);
}

std::size_t length(const char* s) { return RFF_REAL(strlen)(s); }

std::size_t bounded_length(const char* s, std::size_t most) {
  std::size_t n = RFF_REAL(strnlen)(s, most);
  return n < most ? n + 1 : most;
}

void store(void* to, const void* from, std::size_t n, const void* caller) {
  constexpr std::size_t kSmall = 1024;
  char small[kSmall];
  char* kept = n <= kSmall ? small : new char[n];
  RFF_REAL(memcpy)(kept, from, n);
  writes(to, n, caller);
  RFF_REAL(memcpy)(to, kept, n);
  if (kept != small) {
    delete[] kept;
  }
}

char* append(char* to, const char* from, std::size_t most, const void* caller) {
  reads(to, length(to) + 1, caller);
  std::size_t at = length(to);
  reads(from, bounded_length(from, most), caller);
  std::size_t n = RFF_REAL(strnlen)(from, most);
  store(to + at, from, n, caller);
  writes(to + at + n, 1, caller);
  to[at + n] = 0;
  return to;
}

}  // namespace rff::ranges

using namespace rff;
using namespace rff::ranges;

RFF_EXPORT void* memcpy(void* to, const void* from, std::size_t n) noexcept {
  if (!noticed(RFF_CALLER)) {
    return RFF_REAL(memcpy)(to, from, n);
  }
  reads(from, n, RFF_CALLER);
  store(to, from, n, RFF_CALLER);
  return to;
}

RFF_EXPORT void* memmove(void* to, const void* from, std::size_t n) noexcept {
  if (!noticed(RFF_CALLER)) {
    return RFF_REAL(memmove)(to, from, n);
  }
  reads(from, n, RFF_CALLER);
  store(to, from, n, RFF_CALLER);
  return to;
}

RFF_EXPORT void* mempcpy(void* to, const void* from, std::size_t n) noexcept {
  if (!noticed(RFF_CALLER)) {
    return RFF_REAL(mempcpy)(to, from, n);
  }
  reads(from, n, RFF_CALLER);
  store(to, from, n, RFF_CALLER);
  return static_cast<char*>(to) + n;
}

RFF_EXPORT void* memset(void* to, int byte, std::size_t n) noexcept {
  if (noticed(RFF_CALLER)) {
    writes(to, n, RFF_CALLER);
  }
  return RFF_REAL(memset)(to, byte, n);
}

RFF_EXPORT int memcmp(const void* a, const void* b, std::size_t n) noexcept {
  if (noticed(RFF_CALLER)) {
    reads_compared(a, b, n, false, RFF_CALLER);
  }
  compared_bytes::report_memory(a, n, b, n, RFF_CALLER);
  return RFF_REAL(memcmp)(a, b, n);
}

RFF_EXPORT int bcmp(const void* a, const void* b, std::size_t n) noexcept {
  if (noticed(RFF_CALLER)) {
    reads_compared(a, b, n, false, RFF_CALLER);
  }
  compared_bytes::report_memory(a, n, b, n, RFF_CALLER);
  return RFF_REAL(memcmp)(a, b, n);
}

RFF_EXPORT std::size_t strlen(const char* s) noexcept {
  if (noticed(RFF_CALLER)) {
    reads(s, length(s) + 1, RFF_CALLER);
  }
  return length(s);
}

RFF_EXPORT std::size_t strnlen(const char* s, std::size_t most) noexcept {
  if (noticed(RFF_CALLER)) {
    reads(s, bounded_length(s, most), RFF_CALLER);
  }
  return RFF_REAL(strnlen)(s, most);
}

RFF_EXPORT char* strcpy(char* to, const char* from) noexcept {
  if (!noticed(RFF_CALLER)) {
    return RFF_REAL(strcpy)(to, from);
  }
  reads(from, length(from) + 1, RFF_CALLER);
  store(to, from, length(from) + 1, RFF_CALLER);
  return to;
}

RFF_EXPORT char* stpcpy(char* to, const char* from) noexcept {
  if (!noticed(RFF_CALLER)) {
    return RFF_REAL(stpcpy)(to, from);
  }
  reads(from, length(from) + 1, RFF_CALLER);
  std::size_t n = length(from);
  store(to, from, n + 1, RFF_CALLER);
  return to + n;
}

RFF_EXPORT char* strncpy(char* to, const char* from, std::size_t n) noexcept {
  if (!noticed(RFF_CALLER)) {
    return RFF_REAL(strncpy)(to, from, n);
  }
  reads(from, bounded_length(from, n), RFF_CALLER);
  std::size_t taken = bounded_length(from, n);
  store(to, from, taken, RFF_CALLER);
  RFF_REAL(memset)(to + taken, 0, n - taken);
  return to;
}

RFF_EXPORT char* strcat(char* to, const char* from) noexcept {
  if (!noticed(RFF_CALLER)) {
    return RFF_REAL(strcat)(to, from);
  }
  reads(to, length(to) + 1, RFF_CALLER);
  std::size_t at = length(to);
  reads(from, length(from) + 1, RFF_CALLER);
  store(to + at, from, length(from) + 1, RFF_CALLER);
  return to;
}

RFF_EXPORT char* strncat(char* to, const char* from, std::size_t most) noexcept {
  if (!noticed(RFF_CALLER)) {
    return RFF_REAL(strncat)(to, from, most);
  }
  return append(to, from, most, RFF_CALLER);
}

RFF_EXPORT int strcmp(const char* a, const char* b) noexcept {
  if (noticed(RFF_CALLER)) {
    reads_compared(a, b, ~std::size_t{0}, true, RFF_CALLER);
  }
  compared_bytes::report_strings(a, b, ~std::size_t{0}, RFF_CALLER);
  return RFF_REAL(strcmp)(a, b);
}

RFF_EXPORT int strncmp(const char* a, const char* b, std::size_t n) noexcept {
  if (noticed(RFF_CALLER)) {
    reads_compared(a, b, n, true, RFF_CALLER);
  }
  compared_bytes::report_strings(a, b, n, RFF_CALLER);
  return RFF_REAL(strncmp)(a, b, n);
}

// The header declares these twice, with and without const; in the object file they have one name.
extern "C" {
__attribute__((visibility("default"))) void* rff_find_byte(const void*, int, std::size_t) noexcept
    asm("memchr");
__attribute__((visibility("default"))) char* rff_find(const char*, int) noexcept asm("strchr");
__attribute__((visibility("default"))) char* rff_find_last(const char*, int) noexcept
    asm("strrchr");
}

void* rff_find_byte(const void* s, int byte, std::size_t n) noexcept {
  static auto next =
      reinterpret_cast<void* (*)(const void*, int, std::size_t)>(real::next("memchr"));
  if (noticed(RFF_CALLER)) {
    const void* found = next(s, byte, n);
    auto distance = static_cast<const char*>(found) - static_cast<const char*>(s);
    reads(s, found != nullptr ? static_cast<std::size_t>(distance) + 1 : n, RFF_CALLER);
  }
  return next(s, byte, n);
}

char* rff_find(const char* s, int c) noexcept {
  static auto next = reinterpret_cast<char* (*)(const char*, int)>(real::next("strchr"));
  if (noticed(RFF_CALLER)) {
    const char* found = next(s, c);
    reads(s, found != nullptr ? static_cast<std::size_t>(found - s) + 1 : length(s) + 1,
          RFF_CALLER);
  }
  return next(s, c);
}

char* rff_find_last(const char* s, int c) noexcept {
  static auto next = reinterpret_cast<char* (*)(const char*, int)>(real::next("strrchr"));
  if (noticed(RFF_CALLER)) {
    reads(s, length(s) + 1, RFF_CALLER);
  }
  return next(s, c);
}
