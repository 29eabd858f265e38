// A thread unlocks an error-checking mutex it does not own and insists that this works; it does
// only if it has locked it in the meantime.
#define _GNU_SOURCE
#include "program.h"

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static volatile int busy;

static void* work(void* unused) {
  int mine = pthread_mutex_trylock(&lock) == 0;
  busy = 1;
  int error = pthread_mutex_unlock(&lock);
  assert(error == 0);
  (void)mine;
  return unused;
}

int main(void) {
  pthread_t a = start(work), b = start(work);
  finish(a);
  finish(b);
  return 0;
}
