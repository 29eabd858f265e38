// A thread that allows it is cancelled in the middle of a computation that calls nothing.
#include "program.h"

static volatile int started, cleaned;
static volatile unsigned long work;

static void clean(void* unused) {
  (void)unused;
  cleaned = 1;
}

static void* compute(void* unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cleanup_push(clean, NULL);
  started = 1;
  for (;;) {
    work++;
  }
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t t = start(compute);
  while (!started) {
  }
  assert(pthread_cancel(t) == 0);
  assert(finish(t) == PTHREAD_CANCELED);
  assert(cleaned == 1);
  return 0;
}
