// A recursive mutex may be taken again by its owner, is free only after as many unlocks, and is
// busy for others until then.
#define _GNU_SOURCE
#include "program.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static volatile int counter;

static void add(int depth) {
  pthread_mutex_lock(&lock);
  int before = counter;
  if (depth > 0) add(depth - 1);
  assert(counter >= before);
  counter = counter + 1;
  pthread_mutex_unlock(&lock);
}

static void* work(void* unused) {
  int before;
  pthread_mutex_lock(&lock);
  before = counter;
  add(2);
  assert(counter == before + 3);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a = start(work), b = start(work);
  finish(a);
  finish(b);
  assert(counter == 6);
  assert(pthread_mutex_trylock(&lock) == 0);
  assert(pthread_mutex_trylock(&lock) == 0);
  assert(pthread_mutex_unlock(&lock) == 0);
  assert(pthread_mutex_unlock(&lock) == 0);
  assert(pthread_mutex_unlock(&lock) == EPERM);
  return 0;
}
