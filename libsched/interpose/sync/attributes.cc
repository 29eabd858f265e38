// Names, attributes and identity of threads. A fiber has no kernel thread that could be asked, and
// the C library's way of finding out must not behave differently on the two carriers.
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <cstring>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/identity.h"
#include "libsched/interpose/process/processors.h"
#include "libsched/interpose/sync/thread_table.h"

namespace rff {
namespace {

Thread* known(pthread_t handle) { return controlled() ? find_thread(handle) : nullptr; }

constexpr std::size_t kMostName = 16;

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) noexcept {
  Thread* t = known(handle);
  if (t == nullptr || t->index == 0) {
    return RFF_REAL(pthread_getattr_np)(handle, attributes);
  }
  pthread_attr_init(attributes);
  pthread_attr_setstack(attributes, reinterpret_cast<void*>(t->stack_low),
                        t->carried->stack_top - t->stack_low);
  pthread_attr_setdetachstate(
      attributes, t->posix->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  return 0;
}

RFF_EXPORT int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  Thread* t = known(handle);
  if (t == nullptr) {
    return RFF_REAL(pthread_setname_np)(handle, name);
  }
  if (RFF_REAL(strnlen)(name, kMostName) == kMostName) {
    return ERANGE;
  }
  t->posix->label = name;
  return 0;
}

RFF_EXPORT int pthread_getname_np(pthread_t handle, char* name, std::size_t size) noexcept {
  Thread* t = known(handle);
  // A thread has its creator's name until it gets its own.
  while (t != nullptr && t->posix->label.empty()) {
    t = t->parent;
  }
  if (t == nullptr) {
    bool ours = known(handle) != nullptr;
    return RFF_REAL(pthread_getname_np)(
        ours ? runtime->run.execution.threads()[0]->carried->handle : handle, name, size);
  }
  if (size < t->posix->label.size() + 1) {
    return ERANGE;
  }
  RFF_REAL(memcpy)(name, t->posix->label.c_str(), t->posix->label.size() + 1);
  return 0;
}

RFF_EXPORT int pthread_getaffinity_np(pthread_t handle, std::size_t size,
                                      cpu_set_t* cpus) noexcept {
  Thread* t = known(handle);
  if (t == nullptr) {
    return RFF_REAL(pthread_getaffinity_np)(handle, size, cpus);
  }
  return sched_getaffinity(identity::kProcess + static_cast<pid_t>(t->index), size, cpus) == 0
             ? 0
             : errno;
}

RFF_EXPORT int pthread_setaffinity_np(pthread_t handle, std::size_t size,
                                      const cpu_set_t* cpus) noexcept {
  Thread* t = known(handle);
  return t != nullptr ? set_affinity(*t, size, cpus)
                      : RFF_REAL(pthread_setaffinity_np)(handle, size, cpus);
}

RFF_EXPORT int pthread_getcpuclockid(pthread_t handle, clockid_t* clock) noexcept {
  if (!controlled()) {
    return RFF_REAL(pthread_getcpuclockid)(handle, clock);
  }
  *clock = CLOCK_THREAD_CPUTIME_ID;
  return 0;
}
