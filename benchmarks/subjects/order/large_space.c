// Two threads count up to WRITES, each its own variable, while main looks at both. The bug: main
// finds both exactly half-way. There are C(2 * WRITES, WRITES) interleavings of the writes; a
// random walk that lets main take part equally reads far too early: 1 in 524 for 10 writes, 1
// in 1.6e8 for 40 (computed).
#include <assert.h>
#include <pthread.h>

#ifndef WRITES
#define WRITES 10
#endif

static volatile int x, y;

static void* write_x(void* unused) {
  for (int i = 1; i <= WRITES; i++) x = i;
  return unused;
}

static void* write_y(void* unused) {
  for (int i = 1; i <= WRITES; i++) y = i;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, write_x, 0);
  pthread_create(&b, 0, write_y, 0);
  int seen_x = x, seen_y = y;
  assert(seen_x != WRITES / 2 || seen_y != WRITES / 2);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
