// A woken thread takes it for granted that the lock is now its own.
#include "futex.h"
#include "program.h"

static int word;
static volatile int inside;

static void* enter(void* unused) {
  if (__atomic_exchange_n(&word, 1, __ATOMIC_SEQ_CST) != 0) {
    futex(&word, FUTEX_WAIT_PRIVATE, 1, NULL);
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  }
  inside = inside + 1;
  assert(inside == 1);
  inside = inside - 1;
  __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
  futex(&word, FUTEX_WAKE_PRIVATE, 10, NULL);
  return unused;
}

int main(void) {
  pthread_t a = start(enter), b = start(enter), c = start(enter);
  finish(a);
  finish(b);
  finish(c);
  return 0;
}
