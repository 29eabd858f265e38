// Wake tells how many it woke; two sleepers are woken by as many wakes as it takes.
#include <sched.h>

#include "futex.h"
#include "program.h"

static int word;

static void* sleep_once(void* unused) {
  futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL);
  return unused;
}

int main(void) {
  pthread_t a = start(sleep_once), b = start(sleep_once);
  int woken = 0;
  while (woken < 2) {
    long now = futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL);
    assert(now == 0 || now == 1);
    woken += (int)now;
    if (now == 0) sched_yield();
  }
  finish(a);
  finish(b);
  return 0;
}
