// The form that does not wait: busy while main holds the lock, free afterwards.
#include "program.h"

static pthread_spinlock_t lock;

static void* busy(void* unused) {
  assert(pthread_spin_trylock(&lock) == EBUSY);
  return unused;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&lock);
  pthread_t a = start(busy), b = start(busy);
  finish(a);
  finish(b);
  pthread_spin_unlock(&lock);
  assert(pthread_spin_trylock(&lock) == 0);
  pthread_spin_unlock(&lock);
  return 0;
}
