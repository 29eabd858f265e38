// Two accesses that critical sections order only if these come in the usual order.
#include "program.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready, meetings;

static void meet(void) {
  pthread_mutex_lock(&mutex);
  meetings++;
  pthread_mutex_unlock(&mutex);
}

static void* prepare(void* unused) {
  ready = 1;
  meet();
  return unused;
}

static void* use(void* unused) {
  meet();
  assert(ready);
  return unused;
}

int main(void) {
  pthread_t threads[] = {start(prepare), start(use)};
  finish(threads[0]);
  finish(threads[1]);
  return 0;
}
