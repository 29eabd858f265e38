// A thread waits for a flag, but gives up by chance: only the C library knows how far it is.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int flag, gave_up;

static void* wait_for_it(void* unused) {
  while (!atomic_load(&flag)) {
    if (rand() % 4 == 0) {
      atomic_store(&gave_up, 1);
      break;
    }
  }
  return unused;
}

static void* set_it(void* unused) {
  while (!atomic_load(&gave_up)) {
  }
  atomic_store(&flag, 1);
  return unused;
}

int main(void) {
  pthread_t waiter, setter;
  pthread_create(&waiter, 0, wait_for_it, 0);
  pthread_create(&setter, 0, set_it, 0);
  pthread_join(waiter, 0);
  pthread_join(setter, 0);
  return 0;
}
