// Two semaphores used as locks and taken in opposite order.
#include <semaphore.h>

#include "program.h"

static sem_t a, b;

static void* ab(void* unused) {
  sem_wait(&a);
  sem_wait(&b);
  sem_post(&b);
  sem_post(&a);
  return unused;
}

static void* ba(void* unused) {
  sem_wait(&b);
  sem_wait(&a);
  sem_post(&a);
  sem_post(&b);
  return unused;
}

int main(void) {
  sem_init(&a, 0, 1);
  sem_init(&b, 0, 1);
  pthread_t s = start(ab), t = start(ba);
  finish(s);
  finish(t);
  return 0;
}
