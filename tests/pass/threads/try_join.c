// A join that does not wait: busy while the thread must still be there, done in the end.
#define _GNU_SOURCE
#include <sched.h>

#include "program.h"

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void* wait_for_lock(void* arg) {
  pthread_mutex_lock(&held);
  pthread_mutex_unlock(&held);
  return arg;
}

int main(void) {
  pthread_mutex_lock(&held);
  pthread_t t = start_with(wait_for_lock, (void*)3L);
  assert(pthread_tryjoin_np(t, NULL) == EBUSY);
  pthread_mutex_unlock(&held);
  void* result = NULL;
  int error;
  while ((error = pthread_tryjoin_np(t, &result)) == EBUSY) sched_yield();
  assert(error == 0 && result == (void*)3L);
  return 0;
}
