// The value is read before the spin lock is taken and written under it.
#include "program.h"

static pthread_spinlock_t lock;
static volatile int counter;

static void* add(void* unused) {
  int before = counter;
  pthread_spin_lock(&lock);
  counter = before + 1;
  pthread_spin_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_t a = start(add), b = start(add);
  finish(a);
  finish(b);
  assert(counter == 2);
  return 0;
}
