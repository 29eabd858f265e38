// Two threads change a value while they hold the lock only for reading.
#include "program.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int counter;

static void* add(void* unused) {
  pthread_rwlock_rdlock(&lock);
  counter = counter + 1;
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a = start(add), b = start(add);
  finish(a);
  finish(b);
  assert(counter == 2);
  return 0;
}
