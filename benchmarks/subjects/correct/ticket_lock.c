// A ticket lock: fetch-and-add for a ticket, spin until it is called. Correct: first come, first
// served, no lost update.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 3, ROUNDS = 2 };

static atomic_uint next_ticket, now_serving;
static volatile int counter;

static void* work(void* unused) {
  for (int i = 0; i < ROUNDS; i++) {
    unsigned mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&now_serving) != mine) sched_yield();
    counter = counter + 1;
    atomic_store(&now_serving, mine + 1);
  }
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  assert(counter == THREADS * ROUNDS);
  return 0;
}
