// A watchdog looks after a tenth of a second whether the work of a few steps is done. No machine
// preempts a thread for so long: that is no bug.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static volatile int done;

static void* watch(void* unused) {
  usleep(100000);
  assert(done == 3);
  return unused;
}

int main(void) {
  pthread_t watchdog;
  pthread_create(&watchdog, 0, watch, 0);
  for (int i = 0; i < 3; i++) done = done + 1;
  pthread_join(watchdog, 0);
  return 0;
}
