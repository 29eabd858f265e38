// Functions of a sanitizer that programs and sanitizers' libraries call, if it is a separate
// library.
#include <cstring>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/memory/memory_functions.h"

using namespace rff;
using namespace rff::ranges;

// UBSan calls this before it writes a report.
RFF_EXPORT void __ubsan_on_report() {
  if (runtime != nullptr) {
    runtime->process.sanitizer.begin_report();
  }
}

// clang calls these in place of the C library's functions.
RFF_EXPORT void* __asan_memcpy(void* to, const void* from, std::size_t n) noexcept {
  if (!noticed(RFF_CALLER)) {
    return RFF_REAL(memcpy)(to, from, n);
  }
  reads(from, n, RFF_CALLER);
  store(to, from, n, RFF_CALLER);
  return to;
}

RFF_EXPORT void* __asan_memmove(void* to, const void* from, std::size_t n) noexcept {
  if (!noticed(RFF_CALLER)) {
    return RFF_REAL(memmove)(to, from, n);
  }
  reads(from, n, RFF_CALLER);
  store(to, from, n, RFF_CALLER);
  return to;
}

RFF_EXPORT void* __asan_memset(void* to, int byte, std::size_t n) noexcept {
  if (noticed(RFF_CALLER)) {
    writes(to, n, RFF_CALLER);
  }
  return RFF_REAL(memset)(to, byte, n);
}
