// Thread-local variables, initialised and zero, are each thread's own.
#include "program.h"

static _Thread_local int counter = 5;
static _Thread_local char zero[3000];

static void* count(void* unused) {
  for (int i = 0; i < 3; i++) counter++;
  zero[2999]++;
  assert(counter == 8 && zero[2999] == 1);
  return unused;
}

int main(void) {
  pthread_t a = start(count), b = start(count);
  finish(a);
  finish(b);
  assert(counter == 5 && zero[2999] == 0);
  return 0;
}
