// Two hundred threads, each adding one under a lock.
#include "program.h"

enum { THREADS = 200 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* add(void* unused) {
  pthread_mutex_lock(&lock);
  count++;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t t[THREADS];
  for (int i = 0; i < THREADS; i++) t[i] = start(add);
  for (int i = 0; i < THREADS; i++) finish(t[i]);
  assert(count == THREADS);
  return 0;
}
