// What was written before the barrier is read after it, phase by phase, and exactly one thread per
// phase is told that it is the serial one.
#include "program.h"

enum { THREADS = 3, PHASES = 3 };
static pthread_barrier_t barrier;
static volatile int value[PHASES][THREADS];
static int serial;

static void* run(void* arg) {
  long self = (long)arg;
  for (int phase = 0; phase < PHASES; phase++) {
    value[phase][self] = phase + 1;
    int result = pthread_barrier_wait(&barrier);
    assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    if (result == PTHREAD_BARRIER_SERIAL_THREAD) __atomic_fetch_add(&serial, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < THREADS; i++) assert(value[phase][i] == phase + 1);
  }
  return NULL;
}

int main(void) {
  pthread_t t[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (long i = 0; i < THREADS; i++) t[i] = start_with(run, (void*)i);
  for (int i = 0; i < THREADS; i++) finish(t[i]);
  assert(serial == PHASES);
  pthread_barrier_destroy(&barrier);
  return 0;
}
