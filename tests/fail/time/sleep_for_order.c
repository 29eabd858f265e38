// A sleep stands where a synchronisation should: two sleeps of the same length end in either order.
#include <unistd.h>

#include "program.h"

static volatile int ready;

static void* prepare(void* unused) {
  usleep(20000);
  ready = 1;
  return unused;
}

int main(void) {
  pthread_t t = start(prepare);
  usleep(20000);
  assert(ready);
  finish(t);
  return 0;
}
