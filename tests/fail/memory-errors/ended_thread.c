// A thread hands out a variable of its own and ends while another one still uses it.
#include <semaphore.h>

#include "program.h"

static sem_t there, used;
static int* handed_out;

static void* owner(void* unused) {
  int counter = 0;
  handed_out = &counter;
  sem_post(&there);
#ifdef REPAIRED
  sem_wait(&used);
#endif
  __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
  return unused;
}

static void* user(void* unused) {
  sem_wait(&there);
  __atomic_fetch_add(handed_out, 1, __ATOMIC_RELAXED);
  sem_post(&used);
  return unused;
}

int main(void) {
  sem_init(&there, 0, 0);
  sem_init(&used, 0, 0);
  pthread_t first = start(owner), second = start(user);
  finish(second);
  finish(first);
  return 0;
}
