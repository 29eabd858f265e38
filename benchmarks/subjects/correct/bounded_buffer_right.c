// Two producers, two consumers, two conditions, `while` around every wait. Correct: every element
// is consumed exactly once.
#include <assert.h>
#include <pthread.h>

enum { PLACES = 2, ITEMS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static volatile int place[PLACES], used, sum;

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
    while (used == 0) pthread_cond_wait(&not_empty, &lock);
    used = used - 1;
    sum = sum + place[used];
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, i % 2 ? produce : consume, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  assert(used == 0 && sum == 12);
  return 0;
}
