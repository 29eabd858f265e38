// A timed lock on a mutex that stays held expires, on the real-time and on the monotonic clock. No
// deadlock: time goes on.
#define _GNU_SOURCE
#include "program.h"

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void* wait_a_while(void* unused) {
  struct timespec soon = deadline_in(CLOCK_REALTIME, 20);
  assert(pthread_mutex_timedlock(&held, &soon) == ETIMEDOUT);
  soon = deadline_in(CLOCK_MONOTONIC, 20);
  assert(pthread_mutex_clocklock(&held, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
  return unused;
}

int main(void) {
  pthread_mutex_lock(&held);
  finish(start(wait_a_while));
  pthread_mutex_unlock(&held);
  return 0;
}
