// Two producers put two items each into a ring, one consumer takes all four. One condition variable
// serves both sides, and each change wakes one waiter. The bug: with a ring of one place, which
// needs the input 130, the one that is woken may be the other producer, which waits again, and
// nobody wakes the consumer. With two places it cannot happen (explored completely).
#include <pthread.h>

#include "input.h"

enum { EACH = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int places = 2, filled;

static void wake(void) {
#ifdef RIGHT
  pthread_cond_broadcast(&changed);
#else
  pthread_cond_signal(&changed);
#endif
}

static void* produce(void* unused) {
  for (int i = 0; i < EACH; i++) {
    pthread_mutex_lock(&lock);
    while (filled == places) pthread_cond_wait(&changed, &lock);
    filled++;
    wake();
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void* consume(void* unused) {
  for (int i = 0; i < 2 * EACH; i++) {
    pthread_mutex_lock(&lock);
    while (filled == 0) pthread_cond_wait(&changed, &lock);
    filled--;
    wake();
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(int argc, char** argv) {
  pthread_t threads[3];
  if (read_number(argc, argv) == 130) places = 1;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, produce, 0);
  pthread_create(&threads[2], 0, consume, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return 0;
}
