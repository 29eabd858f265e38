// System calls that the witness does not see: those of the worker itself. The kernel knows them by
// the address of their instruction.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>

#include <cstdint>

extern "C" {
__attribute__((visibility("hidden"))) long rff_unwatched_call(long number, long a, long b, long c,
                                                              long d, long e, long f);
// The end of a signal handler.
__attribute__((visibility("hidden"))) void rff_unwatched_return();
__attribute__((visibility("hidden"))) extern const char rff_unwatched_begin[];
__attribute__((visibility("hidden"))) extern const char rff_unwatched_end[];
}

namespace rff::unwatched {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                 long f = 0) {
  return rff_unwatched_call(number, a, b, c, d, e, f);
}

// Options of madvise since Linux 5.14, which older headers lack.
inline constexpr long kPopulateRead = 22, kPopulateWrite = 23;

inline long address(const void* pointer) { return reinterpret_cast<long>(pointer); }

// Moves a descriptor out of the way of the program's.
inline int moved_high(long descriptor) {
  constexpr long kHigh = 900;
  long high = call(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, kHigh);
  call(SYS_close, descriptor);
  return static_cast<int>(high);
}

}  // namespace rff::unwatched
