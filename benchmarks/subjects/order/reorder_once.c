// As reorder.c, but the checker loads each variable once: with SETTERS setters there are
// (SETTERS + 1)^2 combinations of what it reads from whom, and ((SETTERS + 1)!)^2 orders of all
// accesses. The bug: it sees some setter's a and no setter's b.
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
  int seen_a = a, seen_b = b;
  assert((seen_a == 0 && seen_b == 0) || (seen_a == 1 && seen_b == -1));
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
