// Peterson's lock with sequentially consistent atomics; the waiting thread spins. Correct: no lost
// update, and a spinning thread is no hang.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static volatile int counter;

static void* work(void* arg) {
  int self = (int)(long)arg, other = 1 - self;
  for (int i = 0; i < 2; i++) {
    atomic_store(&wants[self], 1);
    atomic_store(&turn, other);
    while (atomic_load(&wants[other]) && atomic_load(&turn) == other) {
    }
    counter = counter + 1;
    atomic_store(&wants[self], 0);
  }
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  assert(counter == 4);
  return 0;
}
