// printf and its relatives: see streams.cc.
//
// This file alone is compiled for a processor with vector registers: floating-point arguments of a
// function with any number of them come there.
#include <stdarg.h>
#include <wchar.h>

#include <cstdlib>

#include "libsched/interpose/files/descriptors.h"
#include "libsched/interpose/files/stream_locks.h"
#include "libsched/interpose/interpose.h"

extern "C" {
int __vfprintf_chk(FILE*, int, const char*, va_list);
int __vprintf_chk(int, const char*, va_list);
int __vasprintf_chk(char**, int, const char*, va_list);
int __dprintf_chk(int, int, const char*, ...);
int __vdprintf_chk(int, int, const char*, va_list);
}

using namespace rff;

namespace {

// Since glibc 2.37 dprintf writes without a stream: as it is, it would neither wait as write does
// nor be part of the output that is kept.
int print_and_free(int fd, char* text, int length, const void* caller) {
  if (length < 0) {
    return -1;
  }
  bool printed = print_to_descriptor(fd, text, static_cast<std::size_t>(length), caller);
  free(text);
  return printed ? length : -1;
}

}  // namespace

RFF_EXPORT int vdprintf(int fd, const char* format, va_list rest) {
  char* text = nullptr;
  int length = RFF_REAL(vasprintf)(&text, format, rest);
  return print_and_free(fd, text, length, RFF_CALLER);
}

RFF_EXPORT int __vdprintf_chk(int fd, int flag, const char* format, va_list rest) {
  char* text = nullptr;
  int length = RFF_REAL(__vasprintf_chk)(&text, flag, format, rest);
  return print_and_free(fd, text, length, RFF_CALLER);
}

RFF_EXPORT int dprintf(int fd, const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  char* text = nullptr;
  int length = RFF_REAL(vasprintf)(&text, format, rest);
  va_end(rest);
  return print_and_free(fd, text, length, RFF_CALLER);
}

RFF_EXPORT int __dprintf_chk(int fd, int flag, const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  char* text = nullptr;
  int length = RFF_REAL(__vasprintf_chk)(&text, flag, format, rest);
  va_end(rest);
  return print_and_free(fd, text, length, RFF_CALLER);
}

#define RFF_PRINT(last, stream, call)           \
  {                                             \
    StreamCall stream_call(stream, RFF_CALLER); \
    va_list rest;                               \
    va_start(rest, last);                       \
    int result = call;                          \
    va_end(rest);                               \
    return result;                              \
  }

RFF_EXPORT int printf(const char* format, ...)
    RFF_PRINT(format, stdout, RFF_REAL(vprintf)(format, rest)) RFF_EXPORT
    int fprintf(FILE* f, const char* format, ...)
        RFF_PRINT(format, f, RFF_REAL(vfprintf)(f, format, rest)) RFF_EXPORT
    int wprintf(const wchar_t* format, ...)
        RFF_PRINT(format, stdout, RFF_REAL(vfwprintf)(stdout, format, rest)) RFF_EXPORT
    int fwprintf(FILE* f, const wchar_t* format, ...)
        RFF_PRINT(format, f, RFF_REAL(vfwprintf)(f, format, rest)) RFF_EXPORT
    int __printf_chk(int flag, const char* format, ...)
        RFF_PRINT(format, stdout, RFF_REAL(__vprintf_chk)(flag, format, rest)) RFF_EXPORT
    int __fprintf_chk(FILE* f, int flag, const char* format, ...)
        RFF_PRINT(format, f, RFF_REAL(__vfprintf_chk)(f, flag, format, rest))
