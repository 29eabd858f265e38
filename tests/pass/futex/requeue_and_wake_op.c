// The less common futex operations: moving waiters, waking by mask, changing a word while waking.
#include "futex.h"
#include "program.h"

static int first, second, waiting;

static void* wait_on_first(void* mask) {
  __atomic_fetch_add(&waiting, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&first, __ATOMIC_SEQ_CST) == 0) {
    syscall(SYS_futex, &first, FUTEX_WAIT_BITSET, 0, NULL, NULL, (int)(long)mask);
  }
  return NULL;
}

int main(void) {
  pthread_t a = start_with(wait_on_first, (void*)1), b = start_with(wait_on_first, (void*)2);
  // Until both sleep on the second word.
  int moved = 0;
  while (moved < 2) {
    assert(syscall(SYS_futex, &first, FUTEX_CMP_REQUEUE, 0, 2L, &second, 7) == -1 &&
           errno == EAGAIN);
    long n = syscall(SYS_futex, &first, FUTEX_CMP_REQUEUE, 0, 2L, &second, 0);
    assert(n >= 0);
    moved += (int)n;
  }
  assert(syscall(SYS_futex, &first, FUTEX_WAKE, 2, NULL, NULL, 0) == 0);
  __atomic_store_n(&first, 1, __ATOMIC_SEQ_CST);
  assert(syscall(SYS_futex, &second, FUTEX_WAKE_BITSET, 2, NULL, NULL, 1) == 1);
  // Adds 5 to the word, and wakes there too since it was 0 before.
  long woken = syscall(SYS_futex, &first, FUTEX_WAKE_OP, 1, 1L, &second,
                       FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_EQ, 0));
  assert(woken == 1 && second == 5);
  finish(a);
  finish(b);
  assert(waiting == 2);
  return 0;
}
