// A timed lock expires because its holder waits for the waiter, and the waiter goes on as if it had
// the lock.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int inside;

static void* enter(void* unused) {
  struct timespec soon = deadline_in(CLOCK_REALTIME, 20);
  int error = pthread_mutex_timedlock(&lock, &soon);
  assert(!inside);
  if (error == 0) pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t t = start(enter);
  if (pthread_mutex_trylock(&lock) == 0) {
    inside = 1;
    finish(t);
    inside = 0;
    pthread_mutex_unlock(&lock);
  } else {
    finish(t);
  }
  return 0;
}
