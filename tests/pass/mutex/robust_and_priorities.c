// Mutexes whose owner may die, and mutexes with priority protocols.
#include <string.h>

#include "program.h"

static pthread_mutex_t robust, inheriting, ceiling;
static volatile int told, count;

static pthread_mutex_t* make(pthread_mutex_t* m, int robustness, int protocol) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  assert(pthread_mutexattr_setrobust(&a, robustness) == 0);
  assert(pthread_mutexattr_setprotocol(&a, protocol) == 0);
  assert(pthread_mutex_init(m, &a) == 0);
  return m;
}

static void* die(void* m) {
  int error = pthread_mutex_lock(m);
  if (error == EOWNERDEAD) {
    assert(pthread_mutex_consistent(m) == 0);
    told++;
  }
  return NULL;  // with the lock
}

static void* add(void* m) {
  for (int i = 0; i < 2; i++) {
    assert(pthread_mutex_lock(m) == 0);
    count = count + 1;
    assert(pthread_mutex_unlock(m) == 0);
  }
  return NULL;
}

int main(void) {
  make(&robust, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
  pthread_t a = start_with(die, &robust), b = start_with(die, &robust);
  finish(a);
  finish(b);
  assert(told == 1);  // whoever came second
  assert(pthread_mutex_trylock(&robust) == EOWNERDEAD);
  assert(pthread_mutex_consistent(&robust) == 0);
  assert(pthread_mutex_unlock(&robust) == 0);
  assert(pthread_mutex_consistent(&robust) == EINVAL);
  finish(start_with(die, &robust));
  assert(pthread_mutex_lock(&robust) == EOWNERDEAD);
  assert(pthread_mutex_unlock(&robust) == 0);  // not made consistent
  assert(pthread_mutex_lock(&robust) == ENOTRECOVERABLE);
  assert(pthread_mutex_trylock(&robust) == ENOTRECOVERABLE);
  assert(pthread_mutex_destroy(&robust) == 0);

  make(&inheriting, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
  make(&ceiling, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_PROTECT);
  a = start_with(add, &inheriting), b = start_with(add, &inheriting);
  finish(a);
  finish(b);
  a = start_with(add, &ceiling), b = start_with(add, &ceiling);
  finish(a);
  finish(b);
  assert(count == 8);
  return 0;
}
