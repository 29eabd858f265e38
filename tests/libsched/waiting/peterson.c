// Peterson's lock, taken once by each of two threads. BROKEN: each gives the turn to itself.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static volatile int counter;

static void* work(void* arg) {
  int self = (int)(long)arg, other = 1 - self;
  atomic_store(&wants[self], 1);
#ifdef BROKEN
  atomic_store(&turn, self);
#else
  atomic_store(&turn, other);
#endif
  while (atomic_load(&wants[other]) && atomic_load(&turn) == other) {
  }
  counter = counter + 1;
  atomic_store(&wants[self], 0);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  assert(counter == 2);
  return 0;
}
