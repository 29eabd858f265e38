// Two threads sweep the halves of a grid: each cell becomes a weighted mean of itself and its four
// neighbours, from one array into the other, with a barrier after each round. The weights come from
// a table that is filled before the threads start. A correct program, whose threads mostly read.
#include "compute.h"

enum { THREADS = 2, MOST_ROWS = 240, WIDTH = 256, ROUNDS = 20, WEIGHTS = 64 };

typedef int Grid[MOST_ROWS + 2][WIDTH + 2];

static int rows;
static int weight[WEIGHTS];
static Grid grid[2], expected[2];
static pthread_barrier_t barrier;

static void sweep(Grid from, Grid to, int first, int last) {
  for (int y = first; y < last; y++)
    for (int x = 1; x <= WIDTH; x++) {
      int own = weight[(x + y) % WEIGHTS];
      to[y][x] =
          (own * from[y][x] +
           (64 - own) * ((from[y - 1][x] + from[y + 1][x] + from[y][x - 1] + from[y][x + 1]) / 4)) /
          64;
    }
}

static void* sweep_half(void* arg) {
  int self = (int)(long)arg;
  for (int round = 0; round < ROUNDS; round++) {
    sweep(grid[round % 2], grid[(round + 1) % 2], 1 + rows * self / THREADS,
          1 + rows * (self + 1) / THREADS);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(int argc, char** argv) {
  uint64_t random = 1664525;
  pthread_t threads[THREADS];
  rows = scaled(MOST_ROWS, argc, argv);
  if (rows > MOST_ROWS) rows = MOST_ROWS;
  for (int i = 0; i < WEIGHTS; i++) weight[i] = 16 + random_below(&random, 32);
  for (int y = 1; y <= rows; y++)
    for (int x = 1; x <= WIDTH; x++)
      grid[0][y][x] = expected[0][y][x] = random_below(&random, 1 << 20);
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) start(&threads[i], sweep_half, i);
  join_all(threads, THREADS);

  for (int round = 0; round < ROUNDS; round++)
    sweep(expected[round % 2], expected[(round + 1) % 2], 1, rows + 1);
  for (int y = 1; y <= rows; y++)
    for (int x = 1; x <= WIDTH; x++)
      if (grid[ROUNDS % 2][y][x] != expected[ROUNDS % 2][y][x]) fail(BUG);
  return 0;
}
