// A spin lock around a counter; nobody is called deadlocked or hanging while it is held.
#include "program.h"

static pthread_spinlock_t lock;
static volatile int counter;

static void* add(void* unused) {
  for (int i = 0; i < 2; i++) {
    pthread_spin_lock(&lock);
    counter = counter + 1;
    pthread_spin_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_t a = start(add), b = start(add), c = start(add);
  finish(a);
  finish(b);
  finish(c);
  assert(counter == 6);
  pthread_spin_destroy(&lock);
  return 0;
}
