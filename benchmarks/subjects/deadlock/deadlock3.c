// Three threads and three locks, each thread taking its own and its neighbour's. The bug: all three
// hold their own. Pairs cannot deadlock, so all three must stop at the same place: 1 random walk in
// 3 (computed).
#include <pthread.h>

static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                  PTHREAD_MUTEX_INITIALIZER};
static volatile int meals;

static void* dine(void* arg) {
  long self = (long)arg;
  pthread_mutex_lock(&lock[self]);
  pthread_mutex_lock(&lock[(self + 1) % 3]);
  meals = meals + 1;
  pthread_mutex_unlock(&lock[(self + 1) % 3]);
  pthread_mutex_unlock(&lock[self]);
  return 0;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, dine, (void*)i);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return 0;
}
