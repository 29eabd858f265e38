// A lock-free stack of three array cells on which three threads pop a cell, own it for a moment and
// push it back. Pop marks the head's link, then swings the head; a failed swing puts the link back.
// The bug (ABA, five preemptions at least, all three threads): a stale swing succeeds and two
// threads own the same cell. Measured on a model with one step per access: 1 random walk in 90,000.
// Published: no tool of the RFF paper within five minutes, 20 trials each; one later tool after
// 204,070 schedules (median).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 4
#endif
enum { THREADS = 3, TAKEN = -1 };

static struct {
  volatile int value;
  atomic_int next;
} cell[THREADS];
static atomic_int head, available;

static int pop(void) {
  while (atomic_load(&available) > 1) {
    int top = atomic_load(&head);
    int next = atomic_exchange(&cell[top].next, TAKEN);
    if (next < 0) continue;
    int expected = top;
    if (atomic_compare_exchange_strong(&head, &expected, next)) {
      atomic_fetch_sub(&available, 1);
      return top;
    }
    atomic_exchange(&cell[top].next, next);
  }
  return -1;
}

static void push(int index) {
  int top = atomic_load(&head);
  do {
    atomic_store(&cell[index].next, top);
  } while (!atomic_compare_exchange_strong(&head, &top, index));
  atomic_fetch_add(&available, 1);
}

static void* use(void* arg) {
  int self = (int)(long)arg;
  for (int round = 0; round < ROUNDS; round++) {
    int index;
    while ((index = pop()) < 0) {
    }
    cell[index].value = self;
    assert(cell[index].value == self);
    push(index);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) atomic_init(&cell[i].next, i + 1 < THREADS ? i + 1 : TAKEN);
  atomic_init(&head, 0);
  atomic_init(&available, THREADS);
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, use, (void*)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  return 0;
}
