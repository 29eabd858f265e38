// A timed lock with a deadline in the far future gets the mutex when it is given back.
#define _GNU_SOURCE
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;

static void* add(void* unused) {
  struct timespec late = deadline_in(CLOCK_REALTIME, 3600000);
  assert(pthread_mutex_timedlock(&lock, &late) == 0);
  counter = counter + 1;
  pthread_mutex_unlock(&lock);
  late = deadline_in(CLOCK_MONOTONIC, 3600000);
  assert(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &late) == 0);
  counter = counter + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a = start(add), b = start(add);
  finish(a);
  finish(b);
  assert(counter == 4);
  return 0;
}
