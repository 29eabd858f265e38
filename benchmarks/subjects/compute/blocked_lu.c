// LU factorisation, modulo a prime, of a matrix in blocks. Each block belongs to a thread; its
// `stage` counts the steps that are done on it, and whoever needs the block waits for that.
#include <string.h>

#include "compute.h"

enum { THREADS = 3, BLOCKS = 4, MOST = 24 };

typedef uint64_t Block[MOST][MOST];
static const uint64_t PRIME = 2305843009213693951;
static int size;  // of a block's side
static Block matrix[BLOCKS][BLOCKS];
static volatile uint64_t total, pivot[BLOCKS];  // pivot: the last of a diagonal block
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t advanced = PTHREAD_COND_INITIALIZER;
static volatile int stage[BLOCKS][BLOCKS], operations, next_row, row_summed[BLOCKS];

// By doubling, so that no product overflows.
static uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  for (; b > 0; b >>= 1) {
    if (b & 1) product = product + a >= PRIME ? product + a - PRIME : product + a;
    a = a + a >= PRIME ? a + a - PRIME : a + a;
  }
  return product;
}

static uint64_t inverse_of(uint64_t a) {
  uint64_t power = 1;
  for (uint64_t e = PRIME - 2; e > 0; e >>= 1, a = times(a, a))
    if (e & 1) power = times(power, a);
  return power;
}

// Eliminates with the blocks left of and above `target`, one or both of which may be itself.
static void eliminate(Block target, Block left, Block above, int is_row, int is_column) {
  Block a, l, u;
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++)
      a[i][j] = target[i][j], l[i][j] = left[i][j], u[i][j] = above[i][j];
  for (int k = 0; k < size; k++) {
    uint64_t scale = is_column ? inverse_of(is_row ? a[k][k] : u[k][k]) : 1;
    for (int i = is_row ? k + 1 : 0; i < size; i++) {
      if (is_column) a[i][k] = times(a[i][k], scale);
      uint64_t factor = is_column ? a[i][k] : l[i][k];
      for (int j = is_column ? k + 1 : 0; j < size; j++)
        a[i][j] = (a[i][j] + PRIME - times(is_row ? a[k][j] : u[k][j], factor)) % PRIME;
    }
  }
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) target[i][j] = a[i][j];
}

static void advance(int k, int i, int j) {
  pthread_mutex_lock(&lock);
#if BUG == 2
  // Two orderings: a thread sees the diagonal block ready, and reads the pivot before it is stored.
  stage[i][j] = k + 1;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  if (i == k && j == k) pivot[k] = matrix[k][k][size - 1][size - 1];
  stage[i][j] = k + 1;
  pthread_cond_broadcast(&advanced);
  pthread_mutex_unlock(&lock);
}

static void wait_for(int k, int i, int j) {
#if BUG == 4
  // Two orderings: the last block gets ready between this test and this wait. Ends in a deadlock.
  int ready = stage[i][j] > k;
  pthread_mutex_lock(&lock);
  if (!ready) pthread_cond_wait(&advanced, &lock);
#else
  pthread_mutex_lock(&lock);
#endif
  while (stage[i][j] <= k) pthread_cond_wait(&advanced, &lock);
  pthread_mutex_unlock(&lock);
  if (i == j && pivot[k] == 0) fail(BUG);
}

// Adds an inverse from each row of blocks to the total, each row once.
static void sum_rows(void) {
  for (;;) {
#if BUG == 5
    // Three orderings: two threads read the same row number before either stores the next one, and
    // both find the row not summed before either says it is.
    int row = next_row;
    next_row = row + 1;
#else
    pthread_mutex_lock(&lock);
    int row = next_row++;
    pthread_mutex_unlock(&lock);
#endif
    if (row >= BLOCKS) return;
    uint64_t sum = inverse_of(matrix[row][row][0][0]) % 1000;
    if (row_summed[row]) continue;
    row_summed[row] = 1;
    pthread_mutex_lock(&lock);
    total = total + sum;
    pthread_mutex_unlock(&lock);
  }
}

static void* factorise(void* self) {
  for (int k = 0; k < BLOCKS; k++) {
    int count = 0;
    for (int place = k * BLOCKS + k; place < BLOCKS * BLOCKS; place++) {
      int i = place / BLOCKS, j = place % BLOCKS;
      if (j < k || (i + j) % THREADS != (long)self) continue;
      if (j != k) wait_for(k, i, k);
      if (i != k) wait_for(k, k, j);
      eliminate(matrix[i][j], matrix[i][k], matrix[k][j], i == k, j == k);
      advance(k, i, j);
      count++;
    }
#if BUG == 3
    // Two orderings: another thread counts its operations between this read and this write.
    operations = operations + count;
#else
    pthread_mutex_lock(&lock);
    operations = operations + count;
    pthread_mutex_unlock(&lock);
#endif
  }
  wait_for(BLOCKS - 1, BLOCKS - 1, BLOCKS - 1);
  sum_rows();
  return NULL;
}

static void fill(void) {
  uint64_t random = 521288629;
  for (int i = 0; i < BLOCKS * size; i++)
    for (int j = 0; j < BLOCKS * size; j++)
      matrix[i / size][j / size][i % size][j % size] = next_random(&random) % PRIME;
}

int main(int argc, char** argv) {
  static Block result[BLOCKS][BLOCKS];
  pthread_t threads[THREADS];
  size = scaled_side(MOST, argc, argv);
  if (size > MOST) size = MOST;
  fill();
  start_table();
  for (int i = 0; i < THREADS; i++) start(&threads[i], factorise, i);
  join_all(threads, THREADS);
  finish_table();

  uint64_t expected = 0;
  int count = 0;
  memcpy(result, matrix, sizeof result);
  fill();
  for (int k = 0; k < BLOCKS; k++)
    for (int i = k; i < BLOCKS; i++)
      for (int j = k; j < BLOCKS; j++, count++)
        eliminate(matrix[i][j], matrix[i][k], matrix[k][j], i == k, j == k);
  for (int i = 0; i < BLOCKS; i++) expected += inverse_of(matrix[i][i][0][0]) % 1000;
  if (memcmp(result, matrix, sizeof result) || total != expected || operations != count) fail(BUG);
  return 0;
}
