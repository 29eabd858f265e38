// Input through stdio. The C library would read by itself and stop every thread while it waits. So
// the runtime waits first whenever a stream's buffer is empty, and calls that may need several
// reads are done byte by byte. Streams on regular files never wait and are read directly.
#include "libsched/libc/streams.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <string>

#include "libsched/interpose/files/outside.h"
#include "libsched/interpose/files/stream_locks.h"

namespace rff {
namespace {

bool may_wait(FILE* f) {
  if (!watched() || f == nullptr) {
    return false;
  }
  int fd = RFF_REAL(fileno)(f);
  return fd >= 0 && outside::may_block(fd);
}

// After this call the C library finds at least a byte, the end or an error without waiting.
void fill(const char* name, FILE* f, const void* caller) {
  await_stream(f, caller);
  if (streams::has_input(f) || !may_wait(f)) {
    return;
  }
  // The C library does the same before it waits for a terminal.
  fflush(stdout);
  outside::await(name, RFF_REAL(fileno)(f), POLLIN, caller, Interruption::kNone);
}

int next(const char* name, FILE* f, const void* caller) {
  fill(name, f, caller);
  return RFF_REAL(fgetc)(f);
}

char* read_line(char* to, int n, FILE* f, const void* caller) {
  int at = 0;
  while (at + 1 < n) {
    int c = next("fgets", f, caller);
    if (c == EOF) {
      break;
    }
    to[at++] = static_cast<char>(c);
    if (c == '\n') {
      break;
    }
  }
  if (at == 0 && n > 1) {
    return nullptr;
  }
  to[at] = 0;
  return to;
}

std::size_t read_items(void* to, std::size_t size, std::size_t count, FILE* f, const void* caller) {
  auto* byte = static_cast<char*>(to);
  std::size_t n = size * count;
  for (std::size_t i = 0; i < n; ++i) {
    int c = next("fread", f, caller);
    if (c == EOF) {
      return i / size;
    }
    byte[i] = static_cast<char>(c);
  }
  return size > 0 ? count : 0;
}

ssize_t read_until(char** line, std::size_t* room, int delimiter, FILE* f, const void* caller) {
  std::string text;
  for (;;) {
    int c = next("getline", f, caller);
    if (c == EOF) {
      break;
    }
    text.push_back(static_cast<char>(c));
    if (c == delimiter) {
      break;
    }
  }
  if (text.empty()) {
    return -1;
  }
  if (*line == nullptr || *room < text.size() + 1) {
    auto* larger = static_cast<char*>(realloc(*line, text.size() + 1));
    if (larger == nullptr) {
      return -1;
    }
    *line = larger;
    *room = text.size() + 1;
  }
  RFF_REAL(memcpy)(*line, text.c_str(), text.size() + 1);
  return static_cast<ssize_t>(text.size());
}

// Formatted input reads as much as it needs. It gets a separate stream that requests one byte at a
// time; a byte that it has read but not used is put back.
struct Source {
  FILE* stream;
  const void* caller;
};

ssize_t read_byte(void* cookie, char* to, std::size_t) {
  auto* source = static_cast<Source*>(cookie);
  int c = next("scanf", source->stream, source->caller);
  *to = static_cast<char>(c);
  return c == EOF ? 0 : 1;
}

template <typename Scan>
int scan(FILE* f, const void* caller, Scan scan_from) {
  await_stream(f, caller);
  if (!may_wait(f)) {
    return scan_from(f);
  }
  Source source{f, caller};
  FILE* bytes = fopencookie(&source, "r", {read_byte, nullptr, nullptr, nullptr});
  RFF_CHECK(bytes != nullptr);
  setvbuf(bytes, nullptr, _IONBF, 0);
  int result = scan_from(bytes);
  int error = errno;
  if (streams::has_input(bytes)) {
    ungetc(streams::next_byte(bytes), f);
  }
  RFF_REAL(fclose)(bytes);
  errno = error;
  return result;
}

}  // namespace
}  // namespace rff

using namespace rff;

extern "C" {
int __uflow(FILE*);
int __underflow(FILE*);
int _IO_getc(FILE*);
ssize_t __getdelim(char**, std::size_t*, int, FILE*);
int __isoc99_vfscanf(FILE*, const char*, va_list);
}

#define RFF_NEXT(function)            \
  RFF_EXPORT int function(FILE* f) {  \
    if (controlled()) {               \
      fill(#function, f, RFF_CALLER); \
    }                                 \
    return RFF_REAL(function)(f);     \
  }

RFF_NEXT(fgetc)
RFF_NEXT(getc)
RFF_NEXT(_IO_getc)
RFF_NEXT(fgetc_unlocked)
RFF_NEXT(getc_unlocked)
RFF_NEXT(__uflow)
RFF_NEXT(__underflow)

RFF_EXPORT int getchar() { return getc(stdin); }
RFF_EXPORT int getchar_unlocked() { return getc_unlocked(stdin); }

RFF_EXPORT char* fgets(char* to, int n, FILE* f) {
  return may_wait(f) ? read_line(to, n, f, RFF_CALLER) : RFF_REAL(fgets)(to, n, f);
}
RFF_EXPORT char* fgets_unlocked(char* to, int n, FILE* f) {
  return may_wait(f) ? read_line(to, n, f, RFF_CALLER) : RFF_REAL(fgets_unlocked)(to, n, f);
}
RFF_EXPORT char* __fgets_chk(char* to, std::size_t room, int n, FILE* f) {
  return may_wait(f) ? read_line(to, n, f, RFF_CALLER) : RFF_REAL(__fgets_chk)(to, room, n, f);
}

RFF_EXPORT std::size_t fread(void* to, std::size_t size, std::size_t count, FILE* f) {
  return may_wait(f) ? read_items(to, size, count, f, RFF_CALLER)
                     : RFF_REAL(fread)(to, size, count, f);
}
RFF_EXPORT std::size_t fread_unlocked(void* to, std::size_t size, std::size_t count, FILE* f) {
  return may_wait(f) ? read_items(to, size, count, f, RFF_CALLER)
                     : RFF_REAL(fread_unlocked)(to, size, count, f);
}

RFF_EXPORT ssize_t getdelim(char** line, std::size_t* room, int delimiter, FILE* f) {
  return may_wait(f) ? read_until(line, room, delimiter, f, RFF_CALLER)
                     : RFF_REAL(getdelim)(line, room, delimiter, f);
}
RFF_EXPORT ssize_t __getdelim(char** line, std::size_t* room, int delimiter, FILE* f) {
  return may_wait(f) ? read_until(line, room, delimiter, f, RFF_CALLER)
                     : RFF_REAL(__getdelim)(line, room, delimiter, f);
}
RFF_EXPORT ssize_t getline(char** line, std::size_t* room, FILE* f) {
  return may_wait(f) ? read_until(line, room, '\n', f, RFF_CALLER)
                     : RFF_REAL(getline)(line, room, f);
}

#define RFF_SCAN(real_function, stream, last)                                                 \
  {                                                                                           \
    va_list rest;                                                                             \
    va_start(rest, last);                                                                     \
    int result = scan(stream, RFF_CALLER,                                                     \
                      [&](FILE* from) { return RFF_REAL(real_function)(from, last, rest); }); \
    va_end(rest);                                                                             \
    return result;                                                                            \
  }

// The header maps these names to ones that begin with __isoc99_.
RFF_EXPORT int scanf(const char* format, ...) RFF_SCAN(__isoc99_vfscanf, stdin, format) RFF_EXPORT
    int fscanf(FILE* f, const char* format, ...) RFF_SCAN(__isoc99_vfscanf, f, format) RFF_EXPORT
    int vfscanf(FILE* f, const char* format, va_list rest) {
  return scan(f, RFF_CALLER,
              [&](FILE* from) { return RFF_REAL(__isoc99_vfscanf)(from, format, rest); });
}
RFF_EXPORT int vscanf(const char* format, va_list rest) { return vfscanf(stdin, format, rest); }
