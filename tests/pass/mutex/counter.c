// A plain mutex around a counter: no update is lost.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;

static void* add(void* unused) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
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
  assert(counter == 9);
  return 0;
}
