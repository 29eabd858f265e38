// flockfile, and threads that wait inside the C library.
#include "libsched/interpose/files/stream_locks.h"

#include <stdarg.h>
#include <wchar.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/interpose.h"
#include "libsched/libc/streams.h"

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

bool is_anothers(const FILE* f) {
  const StreamLock* s = StreamLocks::instance().find(f);
  return s != nullptr && locked_by_another(*s);
}

void acquire(StreamLock& s, CodeName site) {
  held += s.count == 0;
  s.owner = &runtime->run.execution.current();
  s.since = site;
  ++s.count;
  runtime->run.execution.changed(&s);
}

}  // namespace

namespace {

void await_stream(FILE* f, const void* caller) {
  if (held == 0) {
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

void release(StreamLock& s) {
  if (--s.count == 0) {
    s.owner = nullptr;
    --held;
    runtime->run.execution.changed(&s);
  }
}

// By thread: who has called its function of a stream, and the streams that it may wait in.
struct Inside {
  const void* caller = nullptr;
  std::vector<FILE*> streams;
};

Inside& inside(std::uint32_t thread) {
  static auto* of_threads = new std::vector<Inside>;
  if (of_threads->size() <= thread) {
    of_threads->resize(thread + 1);
  }
  return (*of_threads)[thread];
}

Inside& inside() { return inside(runtime->run.execution.current().index); }

}  // namespace

StreamCall::StreamCall(FILE* f, const void* caller) {
  if (controlled()) {
    await_stream(f, caller);
    thread_ = runtime->run.execution.current().index;
    before_ = std::exchange(inside(thread_).caller, caller);
  }
}

StreamCall::~StreamCall() {
  if (controlled()) {
    inside(thread_).caller = before_;
  }
}

const void* caller_of_stream(const void* otherwise) {
  const void* caller = inside().caller;
  return caller != nullptr ? caller : otherwise;
}

void enter_stream(FILE* f) {
  StreamLock& s = StreamLocks::instance().at(f);
  bool locks = !locked_by_another(s);  // otherwise the function is one that does not lock
  if (locks) {
    acquire(s, runtime->code(caller_of_stream(nullptr)));
  }
  inside().streams.push_back(locks ? f : nullptr);
}

void leave_stream() {
  FILE* f = inside().streams.back();
  inside().streams.pop_back();
  if (f != nullptr) {
    release(StreamLocks::instance().at(f));
  }
}

void leave_all_streams() {
  while (!inside().streams.empty()) {
    leave_stream();
  }
}

void forget_stream(FILE* f) { StreamLocks::instance().forget(f); }

void flush_internal_streams() {
  std::vector<const FILE*> tried;
  auto unwritten = [&](const FILE* f) {
    return descriptions::internal(f->_fileno) && streams::has_output(f) && !is_anothers(f) &&
           std::find(tried.begin(), tried.end(), f) == tried.end();
  };
  while (FILE* f = streams::find(unwritten)) {
    tried.push_back(f);
    RFF_REAL(fflush)(f);
  }
}

void await_all_streams(const void* caller) {
  while (FILE* f = held > 0 ? streams::find(is_anothers) : nullptr) {
    await_stream(f, caller);
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
