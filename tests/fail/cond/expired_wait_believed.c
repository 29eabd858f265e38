// A wait that ends by its deadline is taken for the event. The event is signalled before the wait
// begins, so nobody wakes the waiter.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void* serve(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t t = start(serve);
  pthread_mutex_lock(&lock);
  struct timespec soon = deadline_in(CLOCK_REALTIME, 20);
  int error = pthread_cond_timedwait(&changed, &lock, &soon);
  assert(error == 0);
  pthread_mutex_unlock(&lock);
  finish(t);
  return 0;
}
