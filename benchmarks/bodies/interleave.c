// A counter goes up to 20, with a yield before each step. A second thread must see it at 0, 2, 5, 7, 12, 15 and 17 (CHECKPOINTS: 15
// twice), each time at another place in code, with a yield before each look, and gives up at the first wrong value. The bug is behind the
// last look.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

enum { LAST = 20 };

static volatile int counter;

static void* count(void* unused) {
  for (int i = 0; i < LAST; i++) {
    sched_yield();
    counter = counter + 1;
  }
  return unused;
}

#define LOOK(wanted) \
  sched_yield();     \
  if (counter != (wanted)) return unused

static void* look(void* unused) {
  LOOK(0);
  LOOK(2);
  LOOK(5);
  LOOK(7);
  LOOK(12);
  LOOK(15);
#ifdef CHECKPOINTS
  LOOK(15);
#endif
  LOOK(17);
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
