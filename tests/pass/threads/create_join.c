// Results come back through join, and what a thread wrote before it ended is there after the join.
#include "program.h"

static int square[4];

static void* compute(void* arg) {
  long i = (long)arg;
  square[i] = (int)(i * i);
  return (void*)(i + 10);
}

int main(void) {
  pthread_t t[4];
  for (long i = 0; i < 4; i++) t[i] = start_with(compute, (void*)i);
  for (long i = 0; i < 4; i++) {
    assert(finish(t[i]) == (void*)(i + 10));
    assert(square[i] == i * i);
  }
  return 0;
}
