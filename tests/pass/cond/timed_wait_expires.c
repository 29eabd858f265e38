// Nobody signals: the wait ends by its deadline, with the mutex held again, on both clocks.
#define _GNU_SOURCE
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* expire(void* unused) {
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  int error;
  pthread_mutex_lock(&lock);
  struct timespec soon = deadline_in(CLOCK_REALTIME, 20);
  do error = pthread_cond_timedwait(&never, &lock, &soon);
  while (error == 0);
  assert(error == ETIMEDOUT);
  soon = deadline_in(CLOCK_MONOTONIC, 20);
  do error = pthread_cond_clockwait(&never, &lock, CLOCK_MONOTONIC, &soon);
  while (error == 0);
  assert(error == ETIMEDOUT);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a = start(expire), b = start(expire);
  finish(a);
  finish(b);
  return 0;
}
