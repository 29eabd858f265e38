// A test-and-set lock is not released on a path taken only when another thread came first.
#include <sched.h>
#include <stdatomic.h>

#include "program.h"

static atomic_flag lock = ATOMIC_FLAG_INIT;
static volatile int visits;

static void* visit(void* arg) {
  while (atomic_flag_test_and_set(&lock)) sched_yield();
  int late = visits;
  visits = visits + 1;
  if (!(late && arg)) atomic_flag_clear(&lock);
  return NULL;
}

int main(void) {
  pthread_t a = start_with(visit, &lock), b = start(visit);
  finish(a);
  finish(b);
  while (atomic_flag_test_and_set(&lock)) {
  }
  return 0;
}
