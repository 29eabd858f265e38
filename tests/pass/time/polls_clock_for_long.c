// Waits of a second and of an hour by looking at the clock again and again: long, but no hang.
#include <sched.h>
#include <time.h>

#include "program.h"

static void* an_hour(void* unused) {
  time_t start = time(NULL);
  while (time(NULL) - start < 60 * 60) {
    sched_yield();
  }
  return unused;
}

static void* a_second(void* unused) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - start.tv_sec < 2);
  return unused;
}

int main(void) {
  pthread_t a = start(an_hour), b = start(a_second);
  finish(a);
  finish(b);
  return 0;
}
