// A small integer transform by butterflies in stages, half of the indices per thread, with a
// barrier between the stages. The bug: the barrier before the last stage is missing, so a thread
// may combine a value the other has not yet produced. Any run in which the threads are not in
// lock-step shows it.
#include <assert.h>
#include <pthread.h>

enum { SIZE = 8, STAGES = 3, THREADS = 2 };

static pthread_barrier_t stage_done;
static volatile int value[STAGES + 1][SIZE];

static void* transform(void* arg) {
  long self = (long)arg;
  for (int stage = 0; stage < STAGES; stage++) {
    int half = 1 << stage;
    for (int i = (int)self * SIZE / THREADS; i < ((int)self + 1) * SIZE / THREADS; i++) {
      int low = value[stage][i & ~half], high = value[stage][i | half];
      value[stage + 1][i] = i & half ? low - high : low + high;
    }
    if (stage + 2 < STAGES) pthread_barrier_wait(&stage_done);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&stage_done, 0, THREADS);
  for (int i = 0; i < SIZE; i++) value[0][i] = i + 1;
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, transform, (void*)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  int expected[SIZE] = {36, -4, -8, 0, -16, 0, 0, 0};
  for (int i = 0; i < SIZE; i++) assert(value[STAGES][i] == expected[i]);
  return 0;
}
