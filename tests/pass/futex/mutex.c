// A lock of three states (free, taken, contended) on a bare futex.
#include "futex.h"
#include "program.h"

static int word;
static volatile int counter;

static void lock(void) {
  int expected = 0;
  if (__atomic_compare_exchange_n(&word, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    return;
  while (__atomic_exchange_n(&word, 2, __ATOMIC_SEQ_CST) != 0)
    futex(&word, FUTEX_WAIT_PRIVATE, 2, NULL);
}

static void unlock(void) {
  if (__atomic_exchange_n(&word, 0, __ATOMIC_SEQ_CST) == 2)
    futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL);
}

static void* add(void* unused) {
  for (int i = 0; i < 2; i++) {
    lock();
    counter = counter + 1;
    unlock();
  }
  return unused;
}

int main(void) {
  pthread_t a = start(add), b = start(add), c = start(add);
  finish(a);
  finish(b);
  finish(c);
  assert(counter == 6);
  return 0;
}
