// A thread sleeps half a millisecond so that main has set up what it needs. The bug: main may be
// preempted for longer than that. On a busy machine it happens now and then; a scheduler that lets
// sleeps end only when nothing else can run never finds it.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static volatile int configured;

static void* work(void* unused) {
  usleep(500);
  assert(configured);
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, 0, work, 0);
  configured = 1;
  pthread_join(worker, 0);
  return 0;
}
