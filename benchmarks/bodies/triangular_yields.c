// Two threads each do twenty steps of "mine = other's + 1", with a yield before and after each. The bug: only a perfect alternation
// drives one of them to 40.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

enum { ROUNDS = 20 };

static volatile int i, j;

static void* raise_i(void* unused) {
  for (int round = 0; round < ROUNDS; round++) {
    sched_yield();
    i = j + 1;
    sched_yield();
  }
  return unused;
}

static void* raise_j(void* unused) {
  for (int round = 0; round < ROUNDS; round++) {
    sched_yield();
    j = i + 1;
    sched_yield();
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, raise_i, 0);
  pthread_create(&b, 0, raise_j, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(i < 2 * ROUNDS && j < 2 * ROUNDS);
  return 0;
}
