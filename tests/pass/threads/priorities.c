// Policies and priorities are told as they were set, and inherited where that was asked for.
#include <errno.h>
#include <sched.h>

#include "program.h"

struct told {
  int policy;
  int priority;
};

static struct told own(void) {
  struct sched_param parameters;
  struct told t;
  assert(pthread_getschedparam(pthread_self(), &t.policy, &parameters) == 0);
  t.priority = parameters.sched_priority;
  assert(sched_getscheduler(0) == t.policy);
  return t;
}

static void* look(void* result) {
  *(struct told*)result = own();
  return NULL;
}

static int run(int policy, int priority, int inherit, struct told* told) {
  struct sched_param parameters = {.sched_priority = priority};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setinheritsched(&attributes, inherit);
  pthread_attr_setschedpolicy(&attributes, policy);
  pthread_attr_setschedparam(&attributes, &parameters);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, look, told);
  pthread_attr_destroy(&attributes);
  if (error == 0) pthread_join(thread, NULL);
  return error;
}

int main(void) {
  struct told told = {-1, -1};
  int error = run(SCHED_FIFO, 7, PTHREAD_EXPLICIT_SCHED, &told);
  assert(error == EPERM || (error == 0 && told.policy == SCHED_FIFO && told.priority == 7));
  assert(run(SCHED_FIFO, 7, PTHREAD_INHERIT_SCHED, &told) == 0);
  assert(told.policy == SCHED_OTHER && told.priority == 0);
  struct sched_param parameters = {.sched_priority = 3};
  if (error == 0) {
    assert(pthread_setschedparam(pthread_self(), SCHED_RR, &parameters) == 0);
    assert(pthread_setschedprio(pthread_self(), 5) == 0);
    assert(run(SCHED_OTHER, 0, PTHREAD_INHERIT_SCHED, &told) == 0);
    assert(told.policy == SCHED_RR && told.priority == 5);
  }
  parameters.sched_priority = 1000;
  assert(pthread_setschedparam(pthread_self(), SCHED_RR, &parameters) == EINVAL);
  return 0;
}
