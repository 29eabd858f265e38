// Two semaphores hand one variable to and fro.
#include <semaphore.h>

#include "program.h"

static sem_t empty, full;
static volatile int box, sum;

static void* produce(void* unused) {
  for (int i = 1; i <= 3; i++) {
    sem_wait(&empty);
    box = i;
    sem_post(&full);
  }
  return unused;
}

static void* consume(void* unused) {
  for (int i = 1; i <= 3; i++) {
    sem_wait(&full);
    assert(box == i);
    sum = sum + box;
    sem_post(&empty);
  }
  return unused;
}

int main(void) {
  sem_init(&empty, 0, 1);
  sem_init(&full, 0, 0);
  pthread_t a = start(produce), b = start(consume);
  finish(a);
  finish(b);
  assert(sum == 6);
  return 0;
}
