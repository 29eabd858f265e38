// A join with a generous deadline on the monotonic clock succeeds: nobody has to wait for the
// deadline.
#define _GNU_SOURCE
#include "program.h"

static void* end(void* arg) { return arg; }

int main(void) {
  pthread_t t = start_with(end, (void*)7L);
  struct timespec late = deadline_in(CLOCK_MONOTONIC, 3600000);
  void* result = NULL;
  assert(pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &late) == 0);
  assert(result == (void*)7L);
  return 0;
}
