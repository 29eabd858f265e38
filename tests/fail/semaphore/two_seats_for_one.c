// A semaphore meant as a lock starts with the value two.
#include <semaphore.h>

#include "program.h"

static sem_t lock;
static volatile int counter;

static void* add(void* unused) {
  sem_wait(&lock);
  counter = counter + 1;
  sem_post(&lock);
  return unused;
}

int main(void) {
  sem_init(&lock, 0, 2);
  pthread_t a = start(add), b = start(add);
  finish(a);
  finish(b);
  assert(counter == 2);
  return 0;
}
