// A counter goes up to 20 in one thread; the other must look at it at exactly 0, 2, 5, 7, 12, 15
// and 17 to reach the trap, and gives up at the first wrong value. Every step of both threads must
// come at its place: 1 random walk in 2e14 (computed), but each right look is a new reads-from pair
// and a new branch, so feedback can climb to it step by step.
#include <pthread.h>
#include <sched.h>

static volatile int counter;

static void* count(void* unused) {
  while (counter < 20) {
    sched_yield();
    counter = counter + 1;
  }
  return unused;
}

static void* watch(void* unused) {
  if (counter != 0) return unused;
  sched_yield();
  if (counter != 2) return unused;
  sched_yield();
  if (counter != 5) return unused;
  sched_yield();
  if (counter != 7) return unused;
  sched_yield();
  if (counter != 12) return unused;
  sched_yield();
  if (counter != 15) return unused;
  sched_yield();
  if (counter == 17) __builtin_trap();
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, count, 0);
  pthread_create(&b, 0, watch, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
