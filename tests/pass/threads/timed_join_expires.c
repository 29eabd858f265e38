// A timed join of a thread that cannot end expires; once it may end, the join succeeds.
#define _GNU_SOURCE
#include "program.h"

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void* wait_for_lock(void* unused) {
  pthread_mutex_lock(&held);
  pthread_mutex_unlock(&held);
  return unused;
}

int main(void) {
  pthread_mutex_lock(&held);
  pthread_t t = start(wait_for_lock);
  struct timespec soon = deadline_in(CLOCK_REALTIME, 20);
  assert(pthread_timedjoin_np(t, NULL, &soon) == ETIMEDOUT);
  pthread_mutex_unlock(&held);
  finish(t);
  return 0;
}
