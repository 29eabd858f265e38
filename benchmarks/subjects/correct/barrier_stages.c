// The butterflies of the broken transform with a barrier after every stage. Correct under every
// schedule.
#include <assert.h>
#include <pthread.h>

enum { SIZE = 8, STAGES = 3, THREADS = 2 };

static pthread_barrier_t stage_done;
static volatile int value[STAGES + 1][SIZE];

static void* transform(void* arg) {
  int self = (int)(long)arg;
  for (int stage = 0; stage < STAGES; stage++) {
    int half = 1 << stage;
    for (int i = self * SIZE / THREADS; i < (self + 1) * SIZE / THREADS; i++) {
      int low = value[stage][i & ~half], high = value[stage][i | half];
      value[stage + 1][i] = i & half ? low - high : low + high;
    }
    pthread_barrier_wait(&stage_done);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&stage_done, 0, THREADS);
  for (int i = 0; i < SIZE; i++) value[0][i] = i + 1;
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, transform, (void*)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  assert(value[STAGES][0] == 36 && value[STAGES][1] == -4 && value[STAGES][4] == -16 &&
         value[STAGES][7] == 0);
  return 0;
}
