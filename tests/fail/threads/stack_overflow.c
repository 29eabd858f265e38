// A thread that goes too deep, if it reads too early what another thread sets.
#include "program.h"

static volatile int depth = 1 << 20;

static int go_down(int left) {
  volatile char frame[1024];
  frame[0] = (char)left;
  return left == 0 ? 0 : go_down(left - 1) + frame[0];
}

static void* limit(void* unused) {
  depth = 10;
  return unused;
}

static void* recurse(void* unused) {
  go_down(depth);
  return unused;
}

int main(void) {
  pthread_t a = start(limit), b = start(recurse);
  finish(a);
  finish(b);
  return 0;
}
