// The result of trylock is ignored: two threads are inside at once and an update is lost.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;

static void* add(void* unused) {
  int mine = pthread_mutex_trylock(&lock) == 0;
  counter = counter + 1;
  if (mine) pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a = start(add), b = start(add);
  finish(a);
  finish(b);
  assert(counter == 2);
  return 0;
}
