// An empty semaphore: trying fails at once, a timed wait expires; after a post both succeed.
#define _GNU_SOURCE
#include <semaphore.h>

#include "program.h"

static sem_t empty;

static void* try_empty(void* unused) {
  assert(sem_trywait(&empty) == -1 && errno == EAGAIN);
  struct timespec soon = deadline_in(CLOCK_REALTIME, 20);
  assert(sem_timedwait(&empty, &soon) == -1 && errno == ETIMEDOUT);
  soon = deadline_in(CLOCK_MONOTONIC, 20);
  assert(sem_clockwait(&empty, CLOCK_MONOTONIC, &soon) == -1 && errno == ETIMEDOUT);
  return unused;
}

int main(void) {
  sem_init(&empty, 0, 0);
  pthread_t a = start(try_empty), b = start(try_empty);
  finish(a);
  finish(b);
  sem_post(&empty);
  sem_post(&empty);
  struct timespec late = deadline_in(CLOCK_REALTIME, 3600000);
  assert(sem_timedwait(&empty, &late) == 0);
  assert(sem_trywait(&empty) == 0);
  return 0;
}
