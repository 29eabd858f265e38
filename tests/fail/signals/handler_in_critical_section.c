// A handler reads what its thread changes under a lock: the lock does not keep it out.
#include <signal.h>

#include "program.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int taken, left = 10;
static int total = 10;

static void handle(int number) {
  (void)number;
  total = taken + left;
}

static void* take(void* unused) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&mutex);
    taken++;
    left--;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  signal(SIGUSR1, handle);
  pthread_t thread = start(take);
  pthread_kill(thread, SIGUSR1);
  finish(thread);
  assert(total == 10);
  return 0;
}
