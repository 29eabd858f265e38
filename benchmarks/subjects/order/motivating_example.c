// A thread sets y to 2 after a check, while main sets it to 1 and then expects it not to be 2. The
// bug: main's write comes first. 3 random walks in 4 (computed); in the original it also needs one
// input value of 2^63.
#include <assert.h>
#include <pthread.h>

static volatile int x = 10, y;

static void* maybe_set(void* unused) {
  if (x == 10) y = 2;
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, maybe_set, 0);
  y = 1;
  pthread_join(t, 0);
  assert(y != 2);
  return 0;
}
