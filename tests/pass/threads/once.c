// The routine runs once, and has run to its end when pthread_once returns, in every thread.
#include "program.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int steps;

static void initialise(void) {
  steps++;
  steps++;
}

static void* use(void* unused) {
  pthread_once(&once, initialise);
  assert(steps == 2);
  return unused;
}

int main(void) {
  pthread_t a = start(use), b = start(use), c = start(use);
  finish(a);
  finish(b);
  finish(c);
  return 0;
}
