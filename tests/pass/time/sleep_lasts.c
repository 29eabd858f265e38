// Every way of sleeping lasts at least as long as asked, on the clock that belongs to it, and
// clocks never go back.
#include <unistd.h>

#include "program.h"

static long long now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void* sleep_in_all_ways(void* unused) {
  long long before = now(CLOCK_MONOTONIC);
  struct timespec moment = {0, 20000000};
  assert(nanosleep(&moment, NULL) == 0);
  assert(now(CLOCK_MONOTONIC) - before >= 20000000);
  before = now(CLOCK_MONOTONIC);
  assert(usleep(20000) == 0);
  assert(now(CLOCK_MONOTONIC) - before >= 20000000);
  struct timespec until = deadline_in(CLOCK_MONOTONIC, 20);
  assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
  assert(now(CLOCK_MONOTONIC) >= until.tv_sec * 1000000000LL + until.tv_nsec);
  before = now(CLOCK_REALTIME);
  assert(clock_nanosleep(CLOCK_REALTIME, 0, &moment, NULL) == 0);
  assert(now(CLOCK_REALTIME) >= before);
  return unused;
}

int main(void) {
  pthread_t a = start(sleep_in_all_ways), b = start(sleep_in_all_ways);
  long long last = now(CLOCK_MONOTONIC);
  for (int i = 0; i < 5; i++) {
    long long next = now(CLOCK_MONOTONIC);
    assert(next >= last);
    last = next;
  }
  finish(a);
  finish(b);
  return 0;
}
