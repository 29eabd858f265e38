// Two threads make room for each other and may both wait for ever: store buffering with loops.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int at_door[2];

static void* pass_through(void* arg) {
  int self = (int)(long)arg;
  atomic_store(&at_door[self], 1);
  while (atomic_load(&at_door[1 - self])) {
  }
  atomic_store(&at_door[self], 0);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, pass_through, (void*)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
