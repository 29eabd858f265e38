// SETTERS threads write a, then b; one checker reads a, then b. The bug: the checker sees some
// setter's a while no setter at all has written b yet. So every setter that runs early must stop
// between its two writes. With all threads started, a random walk fails 1 in 26 (3 setters), 33
// (4), 41 (5), computed; since main starts the checker last, the real rate is lower and falls
// exponentially (published: 3e-14 for 100, over uniform interleavings). As a reads-from question it
// is always the same two pairs.
#include <assert.h>
#include <pthread.h>

#ifndef SETTERS
#define SETTERS 3
#endif

static volatile int a, b;

static void* set(void* unused) {
  a = 1;
  b = -1;
  return unused;
}

static void* check(void* unused) {
  assert((a == 0 && b == 0) || (a == 1 && b == -1));
  return unused;
}

int main(void) {
  pthread_t setters[SETTERS], checker;
  for (int i = 0; i < SETTERS; i++) pthread_create(&setters[i], 0, set, 0);
  pthread_create(&checker, 0, check, 0);
  for (int i = 0; i < SETTERS; i++) pthread_join(setters[i], 0);
  pthread_join(checker, 0);
  return 0;
}
