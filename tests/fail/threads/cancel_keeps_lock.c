// A thread without cleanup handlers is cancelled while it holds a lock, if it has got that far:
// then nobody gets the lock again.
#include <unistd.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* hold(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_testcancel();
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t t = start(hold);
  pthread_cancel(t);
  finish(t);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}
