// Threads that are still blocked, or still running, when main returns: the process just ends. That
// is no deadlock.
#include <unistd.h>

#include "program.h"

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void* blocked(void* unused) {
  pthread_mutex_lock(&held);
  return unused;
}

static void* asleep(void* unused) {
  for (;;) sleep(1000);
  return unused;
}

int main(void) {
  pthread_mutex_lock(&held);
  start(blocked);
  start(asleep);
  return 0;
}
