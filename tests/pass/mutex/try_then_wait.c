// Who fails to get the mutex at once waits for it: nothing is lost and trylock never blocks.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;

static void* add(void* unused) {
  for (int i = 0; i < 2; i++) {
    int error = pthread_mutex_trylock(&lock);
    assert(error == 0 || error == EBUSY);
    if (error == EBUSY) pthread_mutex_lock(&lock);
    counter = counter + 1;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t a = start(add), b = start(add), c = start(add);
  finish(a);
  finish(b);
  finish(c);
  assert(counter == 6);
  return 0;
}
