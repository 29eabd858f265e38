// A buffer with one place: both sides wait with `if` on one shared condition and signal one waiter.
// The bug: a signal meant for a consumer wakes another consumer, which goes on although the buffer
// is empty and leaves it in a state where everybody waits. It needs the wrong waiter woken: 1
// random walk in 8 (computed), 15 of 158 (measured).
#include <pthread.h>

enum { ITEMS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int full;

static void* produce(void* unused) {
  for (int i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&lock);
    if (full) pthread_cond_wait(&changed, &lock);
    full = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void* consume(void* unused) {
  for (int i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&lock);
    if (!full) pthread_cond_wait(&changed, &lock);
    full = 0;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, i < 2 ? produce : consume, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  return 0;
}
