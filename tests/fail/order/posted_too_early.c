// A semaphore orders what was written before the post, not what comes after it.
#include <semaphore.h>

#include "program.h"

static sem_t posts;
static int first, second;

static void* produce(void* unused) {
  first = 1;
  sem_post(&posts);
  second = 1;
  return unused;
}

int main(void) {
  sem_init(&posts, 0, 0);
  pthread_t thread = start(produce);
  sem_wait(&posts);
  assert(first);
  assert(second);
  finish(thread);
  return 0;
}
