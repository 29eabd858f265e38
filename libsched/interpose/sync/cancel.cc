// Cancellation of threads: requests, states and types. No signal is sent to a thread: the thread
// acts on a request when it runs, at its next cancellation point, or, if its cancelability is
// asynchronous, where patched code next stops.
#include <pthread.h>
#include <signal.h>

#include "libsched/interpose/files/stream_locks.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/sync/thread_table.h"

namespace rff {
namespace {

bool requested(const Thread& t) { return t.cancel_due; }

void update(Thread& t) { t.cancel_due = t.posix->cancel_requested && t.posix->cancel_enabled; }

// Returns an operation on a thread's cancellation state, an object that requests write and
// cancellation points read.
Operation about_cancellation(OpKind op, Thread& t, const void* caller) {
  Operation o = operation(op, &t.posix->cancel_requested, caller);
  o.place = {LocationKind::kThread, t.created_at.packed(), 0};
  return o;
}

}  // namespace

void cancel_if_asynchronous() {
  Thread& t = runtime->run.execution.current();
  if (t.posix->cancel_asynchronous && requested(t)) {
    act_on_cancellation();
  }
}

void cancellation_point() {
  if (requested(runtime->run.execution.current())) {
    act_on_cancellation();
  }
}

bool was_cancelled(const Operation& op) {
  return op.cancellable && requested(runtime->run.execution.current()) &&
         !op.waits_for->enabled(op);
}

void act_on_cancellation() {
  leave_all_streams();
  exit_thread(PTHREAD_CANCELED);
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_cancel(pthread_t handle) {
  if (!controlled()) {
    return RFF_REAL(pthread_cancel)(handle);
  }
  Thread* t = find_thread(handle);
  if (t == nullptr) {
    return ESRCH;
  }
  Operation op = about_cancellation(OpKind::kSignal, *t, RFF_CALLER);
  runtime->run.execution.perform(op);
  if (t->state != ThreadState::kEnded) {
    t->posix->cancel_requested = true;
    update(*t);
    runtime->run.execution.reconsider(*t);
    runtime->run.execution.progress.made();
  }
  cancel_if_asynchronous();
  return 0;
}

RFF_EXPORT void pthread_testcancel() {
  if (!controlled()) {
    RFF_REAL(pthread_testcancel)();
    return;
  }
  if (watched()) {
    Operation op = about_cancellation(OpKind::kWake, runtime->run.execution.current(), RFF_CALLER);
    runtime->run.execution.perform(op);
  }
  cancellation_point();
}

RFF_EXPORT int pthread_setcancelstate(int state, int* old) {
  if (!controlled()) {
    return RFF_REAL(pthread_setcancelstate)(state, old);
  }
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) {
    return EINVAL;
  }
  Thread& t = runtime->run.execution.current();
  if (old != nullptr) {
    *old = t.posix->cancel_enabled ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE;
  }
  t.posix->cancel_enabled = state == PTHREAD_CANCEL_ENABLE;
  update(t);
  cancel_if_asynchronous();
  return 0;
}

RFF_EXPORT int pthread_setcanceltype(int type, int* old) {
  if (!controlled()) {
    return RFF_REAL(pthread_setcanceltype)(type, old);
  }
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) {
    return EINVAL;
  }
  Thread& t = runtime->run.execution.current();
  if (old != nullptr) {
    *old = t.posix->cancel_asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  }
  t.posix->cancel_asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  cancel_if_asynchronous();
  return 0;
}
