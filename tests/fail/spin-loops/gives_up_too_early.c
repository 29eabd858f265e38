// A bounded wait is taken for a successful one.
#include "program.h"

static volatile int ready;

static void* prepare(void* unused) {
  ready = 1;
  return unused;
}

int main(void) {
  pthread_t t = start(prepare);
  for (int i = 0; i < 5 && !ready; i++) {
  }
  assert(ready);
  finish(t);
  return 0;
}
