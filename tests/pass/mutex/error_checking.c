// An error-checking mutex refuses a second lock by its owner and an unlock by a stranger, and works
// as a lock otherwise.
#define _GNU_SOURCE
#include "program.h"

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static volatile int counter;

static void* stranger(void* unused) {
  assert(pthread_mutex_unlock(&lock) == EPERM);
  assert(pthread_mutex_trylock(&lock) == EBUSY);
  return unused;
}

static void* add(void* unused) {
  assert(pthread_mutex_lock(&lock) == 0);
  counter = counter + 1;
  assert(pthread_mutex_unlock(&lock) == 0);
  return unused;
}

int main(void) {
  assert(pthread_mutex_lock(&lock) == 0);
  assert(pthread_mutex_lock(&lock) == EDEADLK);
  finish(start(stranger));
  pthread_t a = start(add), b = start(add);
  assert(pthread_mutex_unlock(&lock) == 0);
  finish(a);
  finish(b);
  assert(pthread_mutex_unlock(&lock) == EPERM);
  assert(counter == 2);
  return 0;
}
