// The setters and the checker of reorder, with both variables under one lock. Correct: the pair is
// never seen half written.
#include <assert.h>
#include <pthread.h>

enum { SETTERS = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int a, b;

static void* set(void* unused) {
  pthread_mutex_lock(&lock);
  a = 1;
  b = -1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* check(void* unused) {
  pthread_mutex_lock(&lock);
  assert((a == 0 && b == 0) || (a == 1 && b == -1));
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t setters[SETTERS], checker;
  for (int i = 0; i < SETTERS; i++) pthread_create(&setters[i], 0, set, 0);
  pthread_create(&checker, 0, check, 0);
  for (int i = 0; i < SETTERS; i++) pthread_join(setters[i], 0);
  pthread_join(checker, 0);
  return 0;
}
