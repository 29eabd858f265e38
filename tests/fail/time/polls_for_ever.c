// A thread sleeps and looks under a lock, again and again, for what will never come.
#include <unistd.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void* poll(void* unused) {
  for (int seen = 0; !seen;) {
    usleep(1000);
    pthread_mutex_lock(&lock);
    seen = ready;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t other = start(poll);
  finish(start(poll));
  finish(other);
  return 0;
}
