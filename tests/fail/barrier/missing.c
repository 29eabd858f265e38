// The barrier stands before the write instead of after it.
#include "program.h"

static pthread_barrier_t barrier;
static volatile int value[2];

static void* run(void* arg) {
  long self = (long)arg;
  pthread_barrier_wait(&barrier);
  value[self] = 1;
  assert(value[1 - self] == 1);
  return NULL;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t a = start_with(run, (void*)0L), b = start_with(run, (void*)1L);
  finish(a);
  finish(b);
  return 0;
}
