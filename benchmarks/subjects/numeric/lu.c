// Gaussian elimination, rows dealt to threads in turn, a barrier after every pivot step. The bug:
// thread 0 takes no part in the barrier, so it may read a pivot row that its owner has not
// finished. It needs thread 0 to run ahead of an owner, which half of all fair interleavings do.
#include <assert.h>
#include <pthread.h>

enum { SIZE = 4, THREADS = 3 };

static pthread_barrier_t step_done;
static volatile int matrix[SIZE][SIZE];

static void* eliminate(void* arg) {
  int self = (int)(long)arg;
  for (int k = 0; k + 1 < SIZE; k++) {
    for (int row = k + 1; row < SIZE; row++) {
      if (row % THREADS != self) continue;
      int factor = matrix[row][k] / matrix[k][k];
      for (int column = k; column < SIZE; column++)
        matrix[row][column] = matrix[row][column] - factor * matrix[k][column];
    }
    if (self != 0) pthread_barrier_wait(&step_done);
  }
  return 0;
}

int main(void) {
  // The product of a unit lower and an upper triangular matrix of small integers: every division is
  // exact.
  static const int product[SIZE][SIZE] = {
      {1, 2, 3, 4}, {2, 5, 8, 9}, {3, 8, 14, 17}, {4, 11, 20, 26}};
  static const int upper[SIZE][SIZE] = {{1, 2, 3, 4}, {0, 1, 2, 1}, {0, 0, 1, 3}, {0, 0, 0, 1}};
  pthread_t threads[THREADS];
  pthread_barrier_init(&step_done, 0, THREADS - 1);
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) matrix[i][j] = product[i][j];
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, eliminate, (void*)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) assert(matrix[i][j] == upper[i][j]);
  return 0;
}
