// A lock-free stack of two cells whose head carries a version; one thread takes what is there while
// the other takes both and gives the first one back. BROKEN: without the version, a stale
// compare-and-swap succeeds and a cell gets two owners.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { CELLS = 2, NONE = 0xffff };

static _Atomic uint32_t head;
static atomic_int next[CELLS], owner[CELLS];

static uint32_t successor(uint32_t old, uint32_t index) {
#ifdef BROKEN
  return (void)old, index;
#else
  return ((old >> 16) + 1) << 16 | index;
#endif
}

static int pop(int self) {
  uint32_t old = atomic_load(&head);
  while ((old & NONE) != NONE) {
    uint32_t below = (uint32_t)atomic_load(&next[old & NONE]);
    if (atomic_compare_exchange_strong(&head, &old, successor(old, below))) {
      assert(atomic_exchange(&owner[old & NONE], self) == 0);
      return (int)(old & NONE);
    }
  }
  return -1;
}

static void push(int index) {
  atomic_store(&owner[index], 0);
  uint32_t old = atomic_load(&head);
  do {
    atomic_store(&next[index], (int)(old & NONE));
  } while (!atomic_compare_exchange_strong(&head, &old, successor(old, (uint32_t)index)));
}

static void* take_all(void* unused) {
  if (pop(1) >= 0) pop(1);
  return unused;
}

static void* give_back(void* unused) {
  int first = pop(2), second = pop(2);
  if (first >= 0 && second >= 0) push(first);
  return unused;
}

int main(void) {
  pthread_t one, two;
  for (int i = 0; i < CELLS; i++) atomic_init(&next[i], i + 1 < CELLS ? i + 1 : NONE);
  pthread_create(&one, 0, take_all, 0);
  pthread_create(&two, 0, give_back, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
