// A socket's dump state is started by one thread and continued by another; whoever finds the dump
// finished frees its buffer. "Finished" is decided in one critical section and acted on in another.
// The bug: both decide, the buffer's release function is called twice, the second time through a
// cleared pointer: 48 of 172 random walks (measured).
#include <pthread.h>
#include <stdlib.h>

struct dump {
  void (*volatile release)(void);
  volatile int left;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct dump dump;
static volatile int running = 1, released;

static void release(void) { released = released + 1; }

static void* continue_dump(void* unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    if (dump.left > 0) dump.left = dump.left - 1;
    int finished = running && dump.left == 0;
    pthread_mutex_unlock(&lock);
    if (!finished) continue;
    pthread_mutex_lock(&lock);
    running = 0;
    dump.release();
    dump.release = NULL;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  dump.release = release;
  dump.left = 3;
  pthread_create(&a, 0, continue_dump, 0);
  pthread_create(&b, 0, continue_dump, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
