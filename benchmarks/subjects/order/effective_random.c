// One thread does a long series of independent locked steps and then looks at x; the other sets x
// at once, then does its own series. The bug: the look comes before the set, so the first thread
// must finish its whole series before the second makes its first step. A random walk tosses a coin
// at each of the 49 steps: 2^-49 (computed). A scheduler with priorities finds it at once.
#include <assert.h>
#include <pthread.h>

#ifndef STEPS
#define STEPS 12
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int x, work_a, work_b;

static void* look_late(void* unused) {
  for (int i = 0; i < STEPS; i++) {
    pthread_mutex_lock(&lock);
    work_a = work_a + 1;
    pthread_mutex_unlock(&lock);
  }
  assert(x != 0);
  return unused;
}

static void* set_early(void* unused) {
  x = 1;
  for (int i = 0; i < STEPS; i++) {
    pthread_mutex_lock(&lock);
    work_b = work_b + 1;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&b, 0, set_early, 0);
  pthread_create(&a, 0, look_late, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
