// A lock-free stack over array cells whose head carries a version in its upper half, so that a
// stale compare-and-swap fails. Correct: what safestack gets wrong. No cell ever has two owners.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { THREADS = 3, ROUNDS = 2, NONE = 0xffff };

static _Atomic uint32_t head;
static atomic_int next[THREADS], owner[THREADS];

static uint32_t successor(uint32_t old, uint32_t index) { return ((old >> 16) + 1) << 16 | index; }

static int pop(void) {
  uint32_t old = atomic_load(&head);
  while ((old & NONE) != NONE) {
    uint32_t below = (uint32_t)atomic_load(&next[old & NONE]);
    if (atomic_compare_exchange_strong(&head, &old, successor(old, below)))
      return (int)(old & NONE);
  }
  return -1;
}

static void push(int index) {
  uint32_t old = atomic_load(&head);
  do {
    atomic_store(&next[index], (int)(old & NONE));
  } while (!atomic_compare_exchange_strong(&head, &old, successor(old, (uint32_t)index)));
}

static void* use(void* arg) {
  int self = (int)(long)arg + 1;
  for (int i = 0; i < ROUNDS; i++) {
    int index = pop();
    assert(index >= 0);
    assert(atomic_exchange(&owner[index], self) == 0);
    assert(atomic_exchange(&owner[index], 0) == self);
    push(index);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) atomic_init(&next[i], i + 1 < THREADS ? i + 1 : NONE);
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, use, (void*)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  return 0;
}
