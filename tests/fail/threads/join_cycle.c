// Three threads join each other in a ring, each only if the handles are all set when it looks. If
// all three find them set: a deadlock of joins.
#include <semaphore.h>

#include "program.h"

static pthread_t handle[3];
static volatile int ready;
static sem_t ended;

static void* join_next(void* arg) {
  long self = (long)arg;
  if (ready) pthread_join(handle[(self + 1) % 3], NULL);
  sem_post(&ended);
  return NULL;
}

int main(void) {
  sem_init(&ended, 0, 0);
  for (long i = 0; i < 3; i++) handle[i] = start_with(join_next, (void*)i);
  ready = 1;
  for (int i = 0; i < 3; i++) sem_wait(&ended);
  return 0;
}
