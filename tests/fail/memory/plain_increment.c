// One instruction adds to a word in memory, but without a lock other processors may come in between.
#include "program.h"

static int count;

static void* add_one(void* unused) {
  asm volatile("incl %0" : "+m"(count));
  return unused;
}

int main(void) {
  pthread_t a = start(add_one), b = start(add_one);
  finish(a);
  finish(b);
  assert(count == 2);
  return 0;
}
