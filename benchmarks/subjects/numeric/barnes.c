// Bodies are sorted into the cells of a tree by several threads; each counts into a cell under the
// cell's lock, then all compute with the counts. The bug: main starts the second phase when the
// first worker has finished the first. Every run in which another worker is still counting fails:
// 160 of 179 random walks (measured).
#include <assert.h>
#include <pthread.h>

enum { BODIES = 9, CELLS = 3, THREADS = 3 };

static pthread_mutex_t lock[CELLS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                      PTHREAD_MUTEX_INITIALIZER};
static volatile int count[CELLS];

static void* build(void* arg) {
  for (int body = (int)(long)arg; body < BODIES; body += THREADS) {
    int cell = body * body % CELLS;
    pthread_mutex_lock(&lock[cell]);
    count[cell] = count[cell] + 1;
    pthread_mutex_unlock(&lock[cell]);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, build, (void*)i);
  pthread_join(threads[0], 0);
  int total = 0;
  for (int i = 0; i < CELLS; i++) total += count[i];
  assert(total == BODIES);
  for (int i = 1; i < THREADS; i++) pthread_join(threads[i], 0);
  return 0;
}
