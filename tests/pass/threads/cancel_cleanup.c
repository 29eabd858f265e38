// Cancelling a thread in a condition wait runs its cleanup handlers, which own the mutex again and
// release it.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int waiting, cleaned;

static void clean(void* arg) {
  cleaned = 1;
  pthread_mutex_unlock(arg);
}

static void* wait_for_ever(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(clean, &lock);
  waiting = 1;
  for (;;) pthread_cond_wait(&never, &lock);
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t t = start(wait_for_ever);
  assert(pthread_cancel(t) == 0);
  assert(finish(t) == PTHREAD_CANCELED);
  pthread_mutex_lock(&lock);
  assert(cleaned == waiting);
  pthread_mutex_unlock(&lock);
  return 0;
}
