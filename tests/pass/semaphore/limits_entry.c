// A semaphore of two lets in two of three at a time.
#include <semaphore.h>

#include "program.h"

static sem_t seats;
static int inside;

static void* enter(void* unused) {
  sem_wait(&seats);
  assert(__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) <= 2);
  __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
  sem_post(&seats);
  return unused;
}

int main(void) {
  sem_init(&seats, 0, 2);
  pthread_t a = start(enter), b = start(enter), c = start(enter);
  finish(a);
  finish(b);
  finish(c);
  int value;
  assert(sem_getvalue(&seats, &value) == 0 && value == 2);
  sem_destroy(&seats);
  return 0;
}
