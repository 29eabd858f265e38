// Two threads look under a lock for a flag that nobody sets: locks come and go, nothing changes.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void* wait_for_it(void* unused) {
  for (int seen = 0; !seen;) {
    pthread_mutex_lock(&lock);
    seen = ready;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t a = start(wait_for_it), b = start(wait_for_it);
  finish(a);
  finish(b);
  return 0;
}
