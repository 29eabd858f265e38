// A condition variable that measures on the monotonic clock: a far deadline, a signal in time.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int ready;

static void* signal_it(void* unused) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  assert(pthread_cond_init(&changed, &monotonic) == 0);
  pthread_t t = start(signal_it);
  struct timespec late = deadline_in(CLOCK_MONOTONIC, 3600000);
  pthread_mutex_lock(&lock);
  while (!ready) assert(pthread_cond_timedwait(&changed, &lock, &late) == 0);
  pthread_mutex_unlock(&lock);
  finish(t);
  pthread_cond_destroy(&changed);
  return 0;
}
