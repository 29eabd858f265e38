// Two threads that take two try-locks in opposite order and back off on failure, with a sleep that
// differs between them.
#include <unistd.h>

#include "program.h"

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int done;

static void* take_both(void* arg) {
  long self = (long)arg;
  for (;;) {
    pthread_mutex_lock(&lock[self]);
    if (pthread_mutex_trylock(&lock[1 - self]) == 0) break;
    pthread_mutex_unlock(&lock[self]);
    usleep(100 * (1 + (unsigned)self));
  }
  done++;
  pthread_mutex_unlock(&lock[1 - self]);
  pthread_mutex_unlock(&lock[self]);
  return NULL;
}

int main(void) {
  pthread_t a = start_with(take_both, (void*)0L), b = start_with(take_both, (void*)1L);
  finish(a);
  finish(b);
  assert(done == 2);
  return 0;
}
