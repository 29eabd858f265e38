// A detached thread reports its end through a condition variable; nobody joins it.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static int done;

static void* report(void* unused) {
  pthread_mutex_lock(&lock);
  done++;
  pthread_cond_signal(&ended);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_attr_t detached;
  pthread_t t;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  assert(pthread_create(&t, &detached, report, NULL) == 0);
  pthread_detach(start(report));
  pthread_mutex_lock(&lock);
  while (done < 2) pthread_cond_wait(&ended, &lock);
  pthread_mutex_unlock(&lock);
  pthread_attr_destroy(&detached);
  return 0;
}
