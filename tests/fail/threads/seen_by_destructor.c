// Two threads count without a lock. Only the last of the program's destructors looks at the result.
#include "program.h"

static volatile int counter;
static int destroyed;

static void* count(void* unused) {
  counter = counter + 1;
  return unused;
}

// Those with higher numbers come first.
__attribute__((destructor(201))) static void last(void) {
  assert(destroyed == 2);
  assert(counter == 2);
}
__attribute__((destructor(202))) static void second(void) { assert(++destroyed == 2); }
__attribute__((destructor(203))) static void first(void) { assert(++destroyed == 1); }

int main(void) {
  pthread_t threads[] = {start(count), start(count)};
  for (int i = 0; i < 2; i++) finish(threads[i]);
  return 0;
}
