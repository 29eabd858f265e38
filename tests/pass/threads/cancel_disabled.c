// A thread that has cancellation disabled finishes its work; it is cancelled at the first point
// after it has enabled it again.
#include "program.h"

static int worked;

static void* work(void* unused) {
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  pthread_testcancel();
  worked = 1;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
  for (;;) pthread_testcancel();
  return unused;
}

static pthread_barrier_t disabled_first;

static void* work_after_disabling(void* unused) {
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  pthread_barrier_wait(&disabled_first);
  return work(unused);
}

int main(void) {
  pthread_barrier_init(&disabled_first, NULL, 2);
  pthread_t t = start(work_after_disabling);
  pthread_barrier_wait(&disabled_first);
  assert(pthread_cancel(t) == 0);
  assert(finish(t) == PTHREAD_CANCELED);
  assert(worked == 1);
  return 0;
}
