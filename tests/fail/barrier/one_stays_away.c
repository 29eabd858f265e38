// A thread that finds the work done goes home instead of to the barrier; if the other has not seen
// that, it waits for ever.
#include "program.h"

static pthread_barrier_t barrier;
static volatile int done;

static void* run(void* unused) {
  if (!done) pthread_barrier_wait(&barrier);
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t a = start(run), b = start(run);
  done = 1;
  finish(a);
  finish(b);
  return 0;
}
