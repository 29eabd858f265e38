// A wait on another value fails at once, a wait with a timeout expires, a wake without waiters
// wakes nobody.
#include "futex.h"
#include "program.h"

static int word = 1;

static void* try_all(void* unused) {
  struct timespec moment = {0, 20000000};
  assert(futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL) == -1 && errno == EAGAIN);
  assert(futex(&word, FUTEX_WAIT_PRIVATE, 1, &moment) == -1 && errno == ETIMEDOUT);
  struct timespec past = deadline_in(CLOCK_MONOTONIC, 20);
  assert(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 1, &past, NULL,
                 FUTEX_BITSET_MATCH_ANY) == -1 &&
         errno == ETIMEDOUT);
  return unused;
}

int main(void) {
  pthread_t a = start(try_all);
  finish(a);
  assert(futex(&word, FUTEX_WAKE_PRIVATE, 10, NULL) == 0);
  return 0;
}
