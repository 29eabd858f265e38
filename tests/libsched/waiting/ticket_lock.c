// A ticket lock, taken once by each of three threads. BROKEN: two of them may draw the same ticket.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 3 };

static atomic_uint next_ticket, now_serving;
static volatile int counter;

static unsigned draw(void) {
#ifdef BROKEN
  unsigned mine = atomic_load(&next_ticket);
  atomic_store(&next_ticket, mine + 1);
  return mine;
#else
  return atomic_fetch_add(&next_ticket, 1);
#endif
}

static void* work(void* unused) {
  unsigned mine = draw();
  while (atomic_load(&now_serving) != mine) sched_yield();
  counter = counter + 1;
  atomic_store(&now_serving, mine + 1);
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  assert(counter == THREADS);
  return 0;
}
