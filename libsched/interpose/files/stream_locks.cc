// flockfile and the functions that have to wait for it. No thread holds the C library's own lock of
// a stream at a scheduling point: a thread that waited for that lock would stop all others.
#include "libsched/interpose/files/stream_locks.h"

#include <stdarg.h>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

struct StreamLock {
  Thread* owner = nullptr;
  std::uint32_t count = 0;
  CodeName since;
};

using StreamLocks = Objects<StreamLock>;
std::uint32_t held = 0;  // number of streams that are locked now

bool stream_free(const Operation& op) {
  return static_cast<StreamLock*>(op.state)->owner == nullptr;
}

Thread* stream_holder(const Operation& op, CodeName* since) {
  auto* s = static_cast<StreamLock*>(op.state);
  *since = s->since;
  return s->owner;
}

constexpr WaitRule kStreamFree = {stream_free, stream_holder, WaitObject::kStream, true};

bool locked_by_another(const StreamLock& s) {
  return s.owner != nullptr && s.owner != &runtime->run.execution.current();
}

void acquire(StreamLock& s, CodeName site) {
  held += s.count == 0;
  s.owner = &runtime->run.execution.current();
  s.since = site;
  ++s.count;
  runtime->run.execution.changed(&s);
}

}  // namespace

void await_stream(FILE* f, const void* caller) {
  if (held == 0 || !controlled()) {
    return;
  }
  StreamLock* s = StreamLocks::instance().find(f);
  while (s != nullptr && locked_by_another(*s)) {
    Operation op = operation(OpKind::kWake, f, caller);
    op.waits_for = &kStreamFree;
    op.state = s;
    runtime->run.execution.perform(op);
  }
}

}  // namespace rff

using namespace rff;

RFF_EXPORT void flockfile(FILE* f) noexcept {
  if (!controlled()) {
    RFF_REAL(flockfile)(f);
    return;
  }
  StreamLock& s = StreamLocks::instance().at(f);
  Operation op = operation(OpKind::kLock, f, RFF_CALLER);
  if (s.owner != &runtime->run.execution.current()) {
    op.waits_for = &kStreamFree;
    op.state = &s;
    runtime->run.execution.perform(op);
  }
  acquire(s, op.site);
}

RFF_EXPORT int ftrylockfile(FILE* f) noexcept {
  if (!controlled()) {
    return RFF_REAL(ftrylockfile)(f);
  }
  StreamLock& s = StreamLocks::instance().at(f);
  Operation op = operation(OpKind::kLock, f, RFF_CALLER);
  if (s.owner != &runtime->run.execution.current()) {
    op.tries = &kStreamFree;
    op.state = &s;
    runtime->run.execution.perform(op);
    if (op.failed) {
      return EBUSY;
    }
  }
  acquire(s, op.site);
  return 0;
}

RFF_EXPORT void funlockfile(FILE* f) noexcept {
  if (!controlled()) {
    RFF_REAL(funlockfile)(f);
    return;
  }
  StreamLock& s = StreamLocks::instance().at(f);
  if (s.owner != &runtime->run.execution.current() || --s.count > 0) {
    return;
  }
  Operation op = operation(OpKind::kUnlock, f, RFF_CALLER);
  runtime->run.execution.perform(op);
  s.owner = nullptr;
  --held;
  runtime->run.execution.changed(&s);
}

RFF_EXPORT int fclose(FILE* f) {
  await_stream(f, RFF_CALLER);
  if (controlled()) {
    StreamLocks::instance().forget(f);
    descriptions::will_close(fileno(f), RFF_CALLER);
    descriptions::closed(fileno(f));
  }
  return RFF_REAL(fclose)(f);
}

#define RFF_WRITES(result, function, parameters, arguments, stream) \
  RFF_EXPORT result function parameters {                           \
    await_stream(stream, RFF_CALLER);                               \
    return RFF_REAL(function) arguments;                            \
  }

RFF_WRITES(int, fputc, (int c, FILE* f), (c, f), f)
RFF_WRITES(int, putc, (int c, FILE* f), (c, f), f)
RFF_WRITES(int, putchar, (int c), (c), stdout)
RFF_WRITES(int, puts, (const char* text), (text), stdout)
RFF_WRITES(int, fputs, (const char* text, FILE* f), (text, f), f)
RFF_WRITES(std::size_t, fwrite, (const void* from, std::size_t size, std::size_t count, FILE* f),
           (from, size, count, f), f)
RFF_WRITES(int, fflush, (FILE * f), (f), f)
RFF_WRITES(int, vprintf, (const char* format, va_list rest), (format, rest), stdout)
RFF_WRITES(int, vfprintf, (FILE * f, const char* format, va_list rest), (f, format, rest), f)

extern "C" {
int __vfprintf_chk(FILE*, int, const char*, va_list);
int __vprintf_chk(int, const char*, va_list);
}
RFF_WRITES(int, __vprintf_chk, (int flag, const char* format, va_list rest), (flag, format, rest),
           stdout)
RFF_WRITES(int, __vfprintf_chk, (FILE * f, int flag, const char* format, va_list rest),
           (f, flag, format, rest), f)
