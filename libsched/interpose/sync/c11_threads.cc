// C11 threads. The C library implements them with its own pthread functions, but not through their
// public names, so they need interposers of their own.
#include <threads.h>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/sync/mutex.h"

namespace rff {
namespace {

int c11_error(int error) {
  switch (error) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    default: return thrd_error;
  }
}

int as_int(void* result) { return static_cast<int>(reinterpret_cast<std::intptr_t>(result)); }
void* as_pointer(int result) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(result)); }

// The function that the thread runs, passed on in the runtime's own memory.
struct Start {
  thrd_start_t entry;
  void* argument;
};

void* run_c11(void* argument) {
  Start start = *static_cast<Start*>(argument);
  delete static_cast<Start*>(argument);
  return as_pointer(start.entry(start.argument));
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int thrd_create(thrd_t* handle, thrd_start_t entry, void* argument) {
  if (!controlled()) {
    return RFF_REAL(thrd_create)(handle, entry, argument);
  }
  auto* start = new Start{entry, argument};
  int error = create_thread(handle, nullptr, run_c11, start, RFF_CALLER);
  if (error != 0) {
    delete start;
  }
  return c11_error(error == EAGAIN ? ENOMEM : error);
}

RFF_EXPORT int thrd_join(thrd_t handle, int* result) {
  if (!controlled()) {
    return RFF_REAL(thrd_join)(handle, result);
  }
  void* value = nullptr;
  int error = join_thread(handle, &value, true, kNever, RFF_CALLER);
  if (error == 0 && result != nullptr) {
    *result = as_int(value);
  }
  return c11_error(error);
}

RFF_EXPORT int thrd_detach(thrd_t handle) {
  return controlled() ? c11_error(detach_thread(handle)) : RFF_REAL(thrd_detach)(handle);
}

RFF_EXPORT void thrd_exit(int result) {
  if (controlled()) {
    exit_thread(as_pointer(result));
  }
  RFF_REAL(thrd_exit)(result);
  __builtin_unreachable();
}

RFF_EXPORT void thrd_yield() {
  if (controlled()) {
    yield(RFF_CALLER);
  }
}

RFF_EXPORT int thrd_sleep(const timespec* duration, timespec* left) {
  if (!controlled()) {
    return RFF_REAL(thrd_sleep)(duration, left);
  }
  if (!valid_nanoseconds(duration) || duration->tv_sec < 0) {
    return -2;
  }
  sleep_until(virtual_after(*duration), RFF_CALLER);
  return 0;
}

RFF_EXPORT int mtx_init(mtx_t* mutex, int type) {
  if (controlled()) {
    forget_mutex(mutex);
  }
  return RFF_REAL(mtx_init)(mutex, type);
}

RFF_EXPORT void mtx_destroy(mtx_t* mutex) {
  if (controlled()) {
    forget_mutex(mutex);
  }
  RFF_REAL(mtx_destroy)(mutex);
}

RFF_EXPORT int mtx_lock(mtx_t* mutex) {
  return controlled() ? c11_error(lock_mutex(mutex, 0, nullptr, RFF_CALLER))
                      : RFF_REAL(mtx_lock)(mutex);
}

RFF_EXPORT int mtx_trylock(mtx_t* mutex) {
  return controlled() ? c11_error(try_lock_mutex(mutex, RFF_CALLER)) : RFF_REAL(mtx_trylock)(mutex);
}

RFF_EXPORT int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  return controlled() ? c11_error(lock_mutex(mutex, CLOCK_REALTIME, until, RFF_CALLER))
                      : RFF_REAL(mtx_timedlock)(mutex, until);
}

RFF_EXPORT int mtx_unlock(mtx_t* mutex) {
  return controlled() ? c11_error(unlock_mutex(mutex, RFF_CALLER)) : RFF_REAL(mtx_unlock)(mutex);
}

RFF_EXPORT int cnd_init(cnd_t* condition) {
  if (controlled()) {
    forget_condition(condition);
  }
  return RFF_REAL(cnd_init)(condition);
}

RFF_EXPORT void cnd_destroy(cnd_t* condition) {
  if (controlled()) {
    forget_condition(condition);
    return;
  }
  RFF_REAL(cnd_destroy)(condition);
}

RFF_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return controlled() ? c11_error(wait_condition(condition, mutex, kNever, RFF_CALLER))
                      : RFF_REAL(cnd_wait)(condition, mutex);
}

RFF_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  if (!controlled()) {
    return RFF_REAL(cnd_timedwait)(condition, mutex, until);
  }
  return valid_nanoseconds(until)
             ? c11_error(wait_condition(condition, mutex, condition_deadline(condition, until),
                                        RFF_CALLER))
             : thrd_error;
}

RFF_EXPORT int cnd_signal(cnd_t* condition) {
  return controlled() ? c11_error(wake_condition(OpKind::kSignal, condition, RFF_CALLER))
                      : RFF_REAL(cnd_signal)(condition);
}

RFF_EXPORT int cnd_broadcast(cnd_t* condition) {
  return controlled() ? c11_error(wake_condition(OpKind::kBroadcast, condition, RFF_CALLER))
                      : RFF_REAL(cnd_broadcast)(condition);
}

RFF_EXPORT int tss_create(tss_t* key, tss_dtor_t destructor) {
  return c11_error(pthread_key_create(key, destructor));
}

RFF_EXPORT void tss_delete(tss_t key) { pthread_key_delete(key); }

RFF_EXPORT void call_once(once_flag* flag, void (*routine)()) {
  if (controlled()) {
    call_once_only(reinterpret_cast<int*>(flag), routine, RFF_CALLER);
  } else {
    RFF_REAL(call_once)(flag, routine);
  }
}
