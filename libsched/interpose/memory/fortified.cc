// The variants of the mem… and str… functions that programs built with _FORTIFY_SOURCE call. If the
// data does not fit, the C library's function is called, which ends the program.
#include <cstring>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/memory/memory_functions.h"

extern "C" {
void* __memcpy_chk(void*, const void*, std::size_t, std::size_t) noexcept;
void* __memmove_chk(void*, const void*, std::size_t, std::size_t) noexcept;
void* __mempcpy_chk(void*, const void*, std::size_t, std::size_t) noexcept;
void* __memset_chk(void*, int, std::size_t, std::size_t) noexcept;
char* __strcpy_chk(char*, const char*, std::size_t) noexcept;
char* __stpcpy_chk(char*, const char*, std::size_t) noexcept;
char* __strncpy_chk(char*, const char*, std::size_t, std::size_t) noexcept;
char* __strcat_chk(char*, const char*, std::size_t) noexcept;
char* __strncat_chk(char*, const char*, std::size_t, std::size_t) noexcept;
}

using namespace rff;
using namespace rff::ranges;

RFF_EXPORT void* __memcpy_chk(void* to, const void* from, std::size_t n,
                              std::size_t room) noexcept {
  if (!noticed(RFF_CALLER) || !(n <= room)) {
    return RFF_REAL(__memcpy_chk)(to, from, n, room);
  }
  reads(from, n, RFF_CALLER);
  store(to, from, n, RFF_CALLER);
  return to;
}

RFF_EXPORT void* __memmove_chk(void* to, const void* from, std::size_t n,
                               std::size_t room) noexcept {
  if (!noticed(RFF_CALLER) || !(n <= room)) {
    return RFF_REAL(__memmove_chk)(to, from, n, room);
  }
  reads(from, n, RFF_CALLER);
  store(to, from, n, RFF_CALLER);
  return to;
}

RFF_EXPORT void* __mempcpy_chk(void* to, const void* from, std::size_t n,
                               std::size_t room) noexcept {
  if (!noticed(RFF_CALLER) || !(n <= room)) {
    return RFF_REAL(__mempcpy_chk)(to, from, n, room);
  }
  reads(from, n, RFF_CALLER);
  store(to, from, n, RFF_CALLER);
  return static_cast<char*>(to) + n;
}

RFF_EXPORT void* __memset_chk(void* to, int byte, std::size_t n, std::size_t room) noexcept {
  if (!noticed(RFF_CALLER) || !(n <= room)) {
    return RFF_REAL(__memset_chk)(to, byte, n, room);
  }
  writes(to, n, RFF_CALLER);
  return RFF_REAL(memset)(to, byte, n);
}

RFF_EXPORT char* __strcpy_chk(char* to, const char* from, std::size_t room) noexcept {
  if (!noticed(RFF_CALLER) || !(length(from) < room)) {
    return RFF_REAL(__strcpy_chk)(to, from, room);
  }
  reads(from, length(from) + 1, RFF_CALLER);
  store(to, from, bounded_length(from, room), RFF_CALLER);
  return to;
}

RFF_EXPORT char* __stpcpy_chk(char* to, const char* from, std::size_t room) noexcept {
  if (!noticed(RFF_CALLER) || !(length(from) < room)) {
    return RFF_REAL(__stpcpy_chk)(to, from, room);
  }
  reads(from, length(from) + 1, RFF_CALLER);
  std::size_t n = bounded_length(from, room);
  store(to, from, n, RFF_CALLER);
  return to + n - 1;
}

RFF_EXPORT char* __strncpy_chk(char* to, const char* from, std::size_t n,
                               std::size_t room) noexcept {
  if (!noticed(RFF_CALLER) || !(n <= room)) {
    return RFF_REAL(__strncpy_chk)(to, from, n, room);
  }
  reads(from, bounded_length(from, n), RFF_CALLER);
  std::size_t taken = bounded_length(from, n);
  store(to, from, taken, RFF_CALLER);
  RFF_REAL(memset)(to + taken, 0, n - taken);
  return to;
}

RFF_EXPORT char* __strcat_chk(char* to, const char* from, std::size_t room) noexcept {
  if (!noticed(RFF_CALLER) || !(length(to) + length(from) < room)) {
    return RFF_REAL(__strcat_chk)(to, from, room);
  }
  reads(to, length(to) + 1, RFF_CALLER);
  std::size_t at = length(to);
  reads(from, length(from) + 1, RFF_CALLER);
  store(to + at, from, bounded_length(from, room - at), RFF_CALLER);
  return to;
}

RFF_EXPORT char* __strncat_chk(char* to, const char* from, std::size_t most,
                               std::size_t room) noexcept {
  if (!noticed(RFF_CALLER) || !(length(to) + RFF_REAL(strnlen)(from, most) < room)) {
    return RFF_REAL(__strncat_chk)(to, from, most, room);
  }
  return append(to, from, most, RFF_CALLER);
}
