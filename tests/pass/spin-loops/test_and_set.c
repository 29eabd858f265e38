// A test-and-set lock, once with a yield in the loop and once with nothing in it.
#include <sched.h>
#include <stdatomic.h>

#include "program.h"

static atomic_flag polite = ATOMIC_FLAG_INIT, rude = ATOMIC_FLAG_INIT;
static volatile int counter[2];

static void* add(void* unused) {
  while (atomic_flag_test_and_set(&polite)) sched_yield();
  counter[0] = counter[0] + 1;
  atomic_flag_clear(&polite);
  while (atomic_flag_test_and_set(&rude)) {
  }
  counter[1] = counter[1] + 1;
  atomic_flag_clear(&rude);
  return unused;
}

int main(void) {
  pthread_t a = start(add), b = start(add), c = start(add);
  finish(a);
  finish(b);
  finish(c);
  assert(counter[0] == 3 && counter[1] == 3);
  return 0;
}
