// The forms that do not wait, or not for ever, while main holds the lock for writing and then for
// reading.
#define _GNU_SOURCE
#include "program.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* while_written(void* unused) {
  assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
  assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
  struct timespec soon = deadline_in(CLOCK_REALTIME, 20);
  assert(pthread_rwlock_timedrdlock(&lock, &soon) == ETIMEDOUT);
  soon = deadline_in(CLOCK_MONOTONIC, 20);
  assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
  return unused;
}

static void* while_read(void* unused) {
  assert(pthread_rwlock_tryrdlock(&lock) == 0);
  pthread_rwlock_unlock(&lock);
  assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
  struct timespec soon = deadline_in(CLOCK_REALTIME, 20);
  assert(pthread_rwlock_timedwrlock(&lock, &soon) == ETIMEDOUT);
  soon = deadline_in(CLOCK_MONOTONIC, 20);
  assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &soon) == 0);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_rwlock_wrlock(&lock);
  assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
  finish(start(while_written));
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_rdlock(&lock);
  finish(start(while_read));
  pthread_rwlock_unlock(&lock);
  return 0;
}
