// A join that does not wait is taken for one that does: the result is used although the thread may
// not have written it.
#define _GNU_SOURCE
#include "program.h"

static volatile int result;

static void* compute(void* unused) {
  result = 1;
  return unused;
}

int main(void) {
  pthread_t t = start(compute);
  int error = pthread_tryjoin_np(t, NULL);
  assert(result == 1);
  if (error == EBUSY) finish(t);
  return 0;
}
