// A loop that watches the clock until a deadline ends: reading the clock moves virtual time on.
#include <sched.h>

#include "program.h"

static void* watch(void* unused) {
  struct timespec until = deadline_in(CLOCK_MONOTONIC, 1), now;
  do {
    sched_yield();
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec < until.tv_sec ||
           (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec));
  return unused;
}

int main(void) {
  pthread_t a = start(watch), b = start(watch);
  finish(a);
  finish(b);
  return 0;
}
