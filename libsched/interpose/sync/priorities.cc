// Policies and priorities of threads: stored, and returned as the program set them. They do not
// influence the schedule, and never reach the system: a program that is serialized on one core
// could keep all other processes from it.
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/identity.h"
#include "libsched/interpose/sync/thread_table.h"

namespace rff {
namespace {

bool real_time(int policy) { return policy == SCHED_FIFO || policy == SCHED_RR; }

bool may_be_real_time() {
  rlimit limit = {};
  return geteuid() == 0 || (getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_cur > 0);
}

// Returns 0 or an errno value.
int set_priority(Thread& t, int policy, int priority) {
  int kind = policy & ~SCHED_RESET_ON_FORK;
  bool known = real_time(kind) || kind == SCHED_OTHER || kind == SCHED_BATCH || kind == SCHED_IDLE;
  if (!known || priority < sched_get_priority_min(kind) ||
      priority > sched_get_priority_max(kind)) {
    return EINVAL;
  }
  if (real_time(kind) && !may_be_real_time()) {
    return EPERM;
  }
  t.posix->policy = policy;
  t.posix->priority = priority;
  return 0;
}

Thread* by_handle(pthread_t handle) { return controlled() ? find_thread(handle) : nullptr; }

Thread* by_id(pid_t tid) {
  if (!controlled() || !identity::own_thread(tid)) {
    return nullptr;
  }
  return tid == 0
             ? &runtime->run.execution.current()
             : runtime->run.execution.threads()[static_cast<std::size_t>(tid - identity::kProcess)];
}

int answer(int error) {
  errno = error != 0 ? error : errno;
  return error != 0 ? -1 : 0;
}

}  // namespace

int choose_priority(Thread& t, const pthread_attr_t* attributes) {
  t.posix->policy = t.parent->posix->policy;
  t.posix->priority = t.parent->posix->priority;
  int inherit = PTHREAD_INHERIT_SCHED;
  int policy = SCHED_OTHER;
  sched_param parameters = {};
  if (attributes == nullptr || pthread_attr_getinheritsched(attributes, &inherit) != 0 ||
      inherit == PTHREAD_INHERIT_SCHED || pthread_attr_getschedpolicy(attributes, &policy) != 0 ||
      pthread_attr_getschedparam(attributes, &parameters) != 0) {
    return 0;
  }
  return set_priority(t, policy, parameters.sched_priority);
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_setschedparam(pthread_t handle, int policy,
                                     const sched_param* parameters) noexcept {
  Thread* t = by_handle(handle);
  return t != nullptr ? set_priority(*t, policy, parameters->sched_priority)
                      : RFF_REAL(pthread_setschedparam)(handle, policy, parameters);
}

RFF_EXPORT int pthread_setschedprio(pthread_t handle, int priority) noexcept {
  Thread* t = by_handle(handle);
  return t != nullptr ? set_priority(*t, t->posix->policy, priority)
                      : RFF_REAL(pthread_setschedprio)(handle, priority);
}

RFF_EXPORT int pthread_getschedparam(pthread_t handle, int* policy,
                                     sched_param* parameters) noexcept {
  Thread* t = by_handle(handle);
  if (t == nullptr) {
    return RFF_REAL(pthread_getschedparam)(handle, policy, parameters);
  }
  *policy = t->posix->policy;
  parameters->sched_priority = t->posix->priority;
  return 0;
}

RFF_EXPORT int sched_setscheduler(pid_t tid, int policy, const sched_param* parameters) noexcept {
  Thread* t = by_id(tid);
  return t != nullptr ? answer(set_priority(*t, policy, parameters->sched_priority))
                      : RFF_REAL(sched_setscheduler)(tid, policy, parameters);
}

RFF_EXPORT int sched_getscheduler(pid_t tid) noexcept {
  Thread* t = by_id(tid);
  return t != nullptr ? t->posix->policy : RFF_REAL(sched_getscheduler)(tid);
}

RFF_EXPORT int sched_setparam(pid_t tid, const sched_param* parameters) noexcept {
  Thread* t = by_id(tid);
  return t != nullptr ? answer(set_priority(*t, t->posix->policy, parameters->sched_priority))
                      : RFF_REAL(sched_setparam)(tid, parameters);
}

RFF_EXPORT int sched_getparam(pid_t tid, sched_param* parameters) noexcept {
  Thread* t = by_id(tid);
  if (t == nullptr) {
    return RFF_REAL(sched_getparam)(tid, parameters);
  }
  parameters->sched_priority = t->posix->priority;
  return 0;
}
