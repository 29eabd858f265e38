// A waiter announces itself by a plain flag; the poster posts only if it sees the flag.
#include <semaphore.h>

#include "program.h"

static sem_t event;
static volatile int waiting, happened;

static void* wait_for_it(void* unused) {
  if (!happened) {
    waiting = 1;
    sem_wait(&event);
  }
  return unused;
}

int main(void) {
  sem_init(&event, 0, 0);
  pthread_t t = start(wait_for_it);
  happened = 1;
  if (waiting) sem_post(&event);
  finish(t);
  return 0;
}
