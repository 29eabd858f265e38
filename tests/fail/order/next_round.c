// A barrier orders its rounds, but a thread writes again what another one reads in the same round.
#include "program.h"

static pthread_barrier_t barrier;
static int cells[2] = {1, 1};

static void* swap(void* mine) {
  for (int round = 0; round < 3; round++) {
    int other = cells[1 - *(int*)mine];
    pthread_barrier_wait(&barrier);
    cells[*(int*)mine] = other + 1;
    assert(other == round + 1);
    // A second barrier is missing.
  }
  return mine;
}

int main(void) {
  static int numbers[] = {0, 1};
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, swap, &numbers[1]);
  swap(&numbers[0]);
  finish(thread);
  return 0;
}
