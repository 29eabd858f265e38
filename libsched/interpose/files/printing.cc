// printf and its relatives: see streams.cc.
//
// This file alone is compiled for a processor with vector registers: floating-point arguments of a
// function with any number of them come there.
#include <stdarg.h>
#include <wchar.h>

#include "libsched/interpose/files/stream_locks.h"
#include "libsched/interpose/interpose.h"

extern "C" {
int __vfprintf_chk(FILE*, int, const char*, va_list);
int __vprintf_chk(int, const char*, va_list);
}

using namespace rff;

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
