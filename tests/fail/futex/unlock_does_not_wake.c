// The unlocking thread stores "free" but wakes only if it saw a contender a moment before.
#include "futex.h"
#include "program.h"

static int word, contended;

static void lock(void) {
  while (__atomic_exchange_n(&word, 1, __ATOMIC_SEQ_CST) != 0) {
    __atomic_store_n(&contended, 1, __ATOMIC_SEQ_CST);
    futex(&word, FUTEX_WAIT_PRIVATE, 1, NULL);
  }
}

static void unlock(void) {
  int wake = __atomic_load_n(&contended, __ATOMIC_SEQ_CST);
  __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
  if (wake) futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL);
}

static void* enter(void* unused) {
  lock();
  unlock();
  return unused;
}

int main(void) {
  pthread_t a = start(enter), b = start(enter);
  finish(a);
  finish(b);
  return 0;
}
