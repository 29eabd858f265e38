// The same buffer with correct `while` loops, but producers and consumers wait on one condition and
// only one waiter is woken. The bug: the wake-up goes to a thread of the same kind, which goes back
// to sleep, and nobody is left to wake the right one. It needs both consumers asleep, then the
// producer asleep on a full buffer, then one consumer waking the other: 1 random walk in 12
// (computed).
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int full;

static void* produce(void* unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    while (full) pthread_cond_wait(&changed, &lock);
    full = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void* consume(void* unused) {
  pthread_mutex_lock(&lock);
  while (!full) pthread_cond_wait(&changed, &lock);
  full = 0;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, i == 0 ? produce : consume, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return 0;
}
