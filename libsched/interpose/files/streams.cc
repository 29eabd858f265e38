// Streams of stdio. The C library reads and writes descriptors inside its own functions, where it
// would stop every thread while it waits: the runtime takes the place of those two calls, so that
// they wait as read and write do.
#include "libsched/libc/streams.h"

#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/files/descriptors.h"
#include "libsched/interpose/files/file_locks.h"
#include "libsched/interpose/files/outside.h"
#include "libsched/interpose/files/stream_locks.h"
#include "libsched/interpose/files/streams.h"
#include "libsched/interpose/process/random.h"

namespace rff {
namespace {

// Whether a call is a step or may wait.
bool may_wait(int fd) {
  return controlled() && (descriptions::internal(fd) || (watched() && outside::may_block(fd)));
}

ssize_t read_for_stream(FILE* f, void* to, ssize_t bytes) {
  int fd = f->_fileno;
  if (!may_wait(fd)) {
    return streams::read_really(f, to, bytes);
  }
  enter_stream(f);
  ssize_t result =
      read_descriptor(fd, to, static_cast<std::size_t>(bytes), caller_of_stream(RFF_CALLER));
  leave_stream();
  return result;
}

ssize_t write_for_stream(FILE* f, const void* from, ssize_t bytes) {
  int fd = f->_fileno;
  if (fd <= STDERR_FILENO ? !(controlled() && descriptions::internal(fd)) : !may_wait(fd)) {
    return streams::write_really(f, from, bytes);
  }
  enter_stream(f);
  ssize_t result =
      write_descriptor(fd, from, static_cast<std::size_t>(bytes), caller_of_stream(RFF_CALLER));
  leave_stream();
  return streams::wrote(f, result);
}

}  // namespace

void model_streams() {
  if (!streams::route(read_for_stream, write_for_stream)) {
    panic("this C library is not known: it keeps elsewhere ", "the functions of streams");
  }
}

void will_close_stream(FILE* f, const void* caller) {
  int fd = fileno(f);
  if (descriptions::internal(fd)) {
    RFF_REAL(fflush)(f);
  }
  file_locks::will_close(fd, caller);
  descriptions::will_close(fd, caller);
  descriptions::closed(fd);
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int fclose(FILE* f) {
  StreamCall call(f, RFF_CALLER);
  if (controlled()) {
    will_close_stream(f, RFF_CALLER);
    forget_stream(f);
  }
  return RFF_REAL(fclose)(f);
}

RFF_EXPORT int fflush(FILE* f) {
  StreamCall call(f, RFF_CALLER);
  if (f == nullptr && controlled()) {
    yield(RFF_CALLER);
    flush_internal_streams();  // the C library would keep its list of streams locked meanwhile
    await_all_streams(RFF_CALLER);
  }
  return RFF_REAL(fflush)(f);
}

// `stream` is null for those that do not lock.
#define RFF_STREAM(result, function, parameters, arguments, stream) \
  RFF_EXPORT result function parameters {                           \
    StreamCall call(stream, RFF_CALLER);                            \
    return RFF_REAL(function) arguments;                            \
  }
// The same for functions that are declared not to throw.
#define RFF_STATE(result, function, parameters, arguments, stream) \
  RFF_EXPORT result function parameters noexcept {                 \
    StreamCall call(stream, RFF_CALLER);                           \
    return RFF_REAL(function) arguments;                           \
  }

extern "C" {
int _IO_getc(FILE*);
int _IO_putc(int, FILE*);
int __uflow(FILE*);
int __underflow(FILE*);
int __overflow(FILE*, int);
ssize_t __getdelim(char**, std::size_t*, int, FILE*);
std::size_t __fread_chk(void*, std::size_t, std::size_t, std::size_t, FILE*);
int __isoc99_vfscanf(FILE*, const char*, va_list);
int __isoc99_vfwscanf(FILE*, const wchar_t*, va_list);
int __vfprintf_chk(FILE*, int, const char*, va_list);
int __vprintf_chk(int, const char*, va_list);
}

RFF_STREAM(int, fgetc, (FILE * f), (f), f)
RFF_STREAM(int, getc, (FILE * f), (f), f)
RFF_STREAM(int, _IO_getc, (FILE * f), (f), f)
RFF_STREAM(int, fgetc_unlocked, (FILE * f), (f), nullptr)
RFF_STREAM(int, getc_unlocked, (FILE * f), (f), nullptr)
RFF_STREAM(int, __uflow, (FILE * f), (f), nullptr)
RFF_STREAM(int, __underflow, (FILE * f), (f), nullptr)
RFF_STREAM(int, getchar, (), (), stdin)
RFF_STREAM(int, getchar_unlocked, (), (), nullptr)
RFF_STREAM(int, getw, (FILE * f), (f), f)
RFF_STREAM(int, ungetc, (int c, FILE* f), (c, f), f)
RFF_STREAM(char*, fgets, (char* to, int n, FILE* f), (to, n, f), f)
RFF_STREAM(char*, fgets_unlocked, (char* to, int n, FILE* f), (to, n, f), nullptr)
RFF_STREAM(char*, __fgets_chk, (char* to, std::size_t room, int n, FILE* f), (to, room, n, f), f)
RFF_STREAM(std::size_t, fread, (void* to, std::size_t size, std::size_t count, FILE* f),
           (to, size, count, f), f)
RFF_STREAM(std::size_t, fread_unlocked, (void* to, std::size_t size, std::size_t count, FILE* f),
           (to, size, count, f), nullptr)
RFF_STREAM(std::size_t, __fread_chk,
           (void* to, std::size_t room, std::size_t size, std::size_t count, FILE* f),
           (to, room, size, count, f), f)
RFF_STREAM(ssize_t, getdelim, (char** line, std::size_t* room, int delimiter, FILE* f),
           (line, room, delimiter, f), f)
RFF_STREAM(ssize_t, __getdelim, (char** line, std::size_t* room, int delimiter, FILE* f),
           (line, room, delimiter, f), f)
RFF_STREAM(ssize_t, getline, (char** line, std::size_t* room, FILE* f), (line, room, f), f)
RFF_STREAM(wint_t, fgetwc, (FILE * f), (f), f)
RFF_STREAM(wint_t, getwc, (FILE * f), (f), f)
RFF_STREAM(wint_t, ungetwc, (wint_t c, FILE* f), (c, f), f)
RFF_STREAM(wchar_t*, fgetws, (wchar_t * to, int n, FILE* f), (to, n, f), f)

RFF_STREAM(int, fputc, (int c, FILE* f), (c, f), f)
RFF_STREAM(int, putc, (int c, FILE* f), (c, f), f)
RFF_STREAM(int, _IO_putc, (int c, FILE* f), (c, f), f)
RFF_STREAM(int, fputc_unlocked, (int c, FILE* f), (c, f), nullptr)
RFF_STREAM(int, putc_unlocked, (int c, FILE* f), (c, f), nullptr)
RFF_STREAM(int, __overflow, (FILE * f, int c), (f, c), nullptr)
RFF_STREAM(int, putchar, (int c), (c), stdout)
RFF_STREAM(int, putw, (int word, FILE* f), (word, f), f)
RFF_STREAM(int, puts, (const char* text), (text), stdout)
RFF_STREAM(int, fputs, (const char* text, FILE* f), (text, f), f)
RFF_STREAM(std::size_t, fwrite, (const void* from, std::size_t size, std::size_t count, FILE* f),
           (from, size, count, f), f)
RFF_STREAM(std::size_t, fwrite_unlocked,
           (const void* from, std::size_t size, std::size_t count, FILE* f), (from, size, count, f),
           nullptr)
RFF_STREAM(wint_t, fputwc, (wchar_t c, FILE* f), (c, f), f)
RFF_STREAM(wint_t, putwc, (wchar_t c, FILE* f), (c, f), f)
RFF_STREAM(int, fputws, (const wchar_t* text, FILE* f), (text, f), f)
RFF_STREAM(int, vprintf, (const char* format, va_list rest), (format, rest), stdout)
RFF_STREAM(int, vfprintf, (FILE * f, const char* format, va_list rest), (f, format, rest), f)
RFF_STREAM(int, vfwprintf, (FILE * f, const wchar_t* format, va_list rest), (f, format, rest), f)
RFF_STREAM(int, __vprintf_chk, (int flag, const char* format, va_list rest), (flag, format, rest),
           stdout)
RFF_STREAM(int, __vfprintf_chk, (FILE * f, int flag, const char* format, va_list rest),
           (f, flag, format, rest), f)

RFF_STREAM(int, fseek, (FILE * f, long offset, int from), (f, offset, from), f)
RFF_STREAM(int, fseeko, (FILE * f, off_t offset, int from), (f, offset, from), f)
RFF_STREAM(int, fseeko64, (FILE * f, off64_t offset, int from), (f, offset, from), f)
RFF_STREAM(long, ftell, (FILE * f), (f), f)
RFF_STREAM(off_t, ftello, (FILE * f), (f), f)
RFF_STREAM(off64_t, ftello64, (FILE * f), (f), f)
RFF_STREAM(void, rewind, (FILE * f), (f), f)
RFF_STREAM(int, fgetpos, (FILE * f, fpos_t* at), (f, at), f)
RFF_STREAM(int, fsetpos, (FILE * f, const fpos_t* at), (f, at), f)
RFF_STATE(int, feof, (FILE * f), (f), f)
RFF_STATE(int, ferror, (FILE * f), (f), f)
RFF_STATE(void, clearerr, (FILE * f), (f), f)
RFF_STATE(void, setbuf, (FILE * f, char* buffer), (f, buffer), f)
RFF_STATE(void, setlinebuf, (FILE * f), (f), f)
RFF_STATE(int, setvbuf, (FILE * f, char* buffer, int mode, std::size_t n), (f, buffer, mode, n), f)

#define RFF_SCAN(real_function, stream, last)                 \
  {                                                           \
    StreamCall call(stream, RFF_CALLER);                      \
    va_list rest;                                             \
    va_start(rest, last);                                     \
    int result = RFF_REAL(real_function)(stream, last, rest); \
    va_end(rest);                                             \
    return result;                                            \
  }

// The header maps these names to ones that begin with __isoc99_.
RFF_EXPORT int scanf(const char* format, ...) RFF_SCAN(__isoc99_vfscanf, stdin, format) RFF_EXPORT
    int fscanf(FILE* f, const char* format, ...) RFF_SCAN(__isoc99_vfscanf, f, format) RFF_EXPORT
    int fwscanf(FILE* f, const wchar_t* format, ...)
        RFF_SCAN(__isoc99_vfwscanf, f, format) RFF_EXPORT
    int vfscanf(FILE* f, const char* format, va_list rest) {
  StreamCall call(f, RFF_CALLER);
  return RFF_REAL(__isoc99_vfscanf)(f, format, rest);
}
RFF_EXPORT int vscanf(const char* format, va_list rest) { return vfscanf(stdin, format, rest); }
