// A counter goes up to 20, with a yield before each step. A second thread must see it at each of
// the wanted values in turn, and gives up at the first look that shows another one. It looks at one
// place in code, in a loop over a table (UNROLLED: at one place for each look). The bug is behind
// the last look.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

#ifndef WANTED
#define WANTED 0, 2, 5, 7, 12, 15, 17
#endif
enum { LAST = 20 };

static const int wanted[] = {WANTED};
enum { LOOKS = sizeof wanted / sizeof *wanted };

static volatile int counter;

static void* count(void* unused) {
  for (int i = 0; i < LAST; i++) {
    sched_yield();
    counter = counter + 1;
  }
  return unused;
}

static void* look(void* unused) {
#ifdef UNROLLED
#pragma GCC unroll 16
#endif
  for (int k = 0; k < LOOKS; k++) {
    if (counter != wanted[k]) return unused;
  }
  assert(!"saw every wanted value");
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, count, 0);
  pthread_create(&b, 0, look, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
