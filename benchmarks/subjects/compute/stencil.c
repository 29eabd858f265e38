// A ring of blocks of rows, one for each thread, is averaged again and again. Before every step
// neighbours exchange their outer rows through channels that hold one row; between exchanges a
// thread sweeps its block alone.
#include <string.h>

#include "compute.h"

enum { THREADS = 3, ROWS = 16, WIDTH = 32, STEPS = 8 };
enum { UP, DOWN };

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  volatile int full;
  volatile int step;  // what the row belongs to
  int row[WIDTH];
} Channel;

typedef int Block[ROWS + 2][WIDTH];  // with a row of each neighbour

static Channel channel[THREADS][2];         // from a block to the neighbour above and below
static pthread_mutex_t edge_lock[THREADS];  // edge i is below block i
static volatile int flow[THREADS];          // over the edges
static pthread_mutex_t sum_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long sum;
static int result[THREADS][ROWS][WIDTH];
static int sweeps;

static void send(Channel* to, int step, const int* row) {
  pthread_mutex_lock(&to->lock);
  while (to->full) pthread_cond_wait(&to->changed, &to->lock);
  memcpy(to->row, row, sizeof to->row);
#if BUG == 2
  // Two orderings: the neighbour sees the channel full, and reads the step before it is stored.
  to->full = 1;
  pthread_mutex_unlock(&to->lock);
  to->step = step;
  pthread_mutex_lock(&to->lock);
#else
  to->step = step;
  to->full = 1;
#endif
  pthread_cond_signal(&to->changed);
  pthread_mutex_unlock(&to->lock);
}

static void receive(Channel* from, int step, int* row) {
#if BUG == 4
  // Two orderings: the neighbour fills the channel between this test and this wait, which then
  // misses the signal. Ends in a deadlock.
  int wait = !from->full;
  pthread_mutex_lock(&from->lock);
  if (wait) pthread_cond_wait(&from->changed, &from->lock);
#else
  pthread_mutex_lock(&from->lock);
  while (!from->full) pthread_cond_wait(&from->changed, &from->lock);
#endif
  if (from->step != step) fail(BUG);
  memcpy(row, from->row, sizeof from->row);
  from->full = 0;
  pthread_cond_signal(&from->changed);
  pthread_mutex_unlock(&from->lock);
}

static long sweep(Block cells) {
  Block next;
  for (int i = 0; i < sweeps; i++) {
    for (int y = 1; y <= ROWS; y++)
      for (int x = 0; x < WIDTH; x++)
        next[y][x] = (cells[y][x] * 4 + cells[y - 1][x] + cells[y + 1][x] +
                      cells[y][(x + 1) % WIDTH] + cells[y][(x + WIDTH - 1) % WIDTH]) /
                     8;
    memcpy(cells[1], next[1], sizeof(int[ROWS][WIDTH]));
  }
  return cells[1][0] + cells[ROWS][0];
}

static void count_flow(int self) {
  int below = self, above = (self + THREADS - 1) % THREADS;
#if BUG == 5
  // Three orderings: each of the three threads locks the edge below before the next thread asks for
  // that one as its edge above. Ends in a deadlock.
  int first = below, second = above;
#else
  int first = below < above ? below : above, second = below < above ? above : below;
#endif
  pthread_mutex_lock(&edge_lock[first]);
  pthread_mutex_lock(&edge_lock[second]);
  flow[above] = flow[above] + 1;
  flow[below] = flow[below] + 1;
  pthread_mutex_unlock(&edge_lock[second]);
  pthread_mutex_unlock(&edge_lock[first]);
}

static void add_part(long part) {
#if BUG == 3
  // Two orderings: another thread adds its part between this read and this write of the sum.
  long before = sum;
  pthread_mutex_lock(&sum_lock);
#else
  pthread_mutex_lock(&sum_lock);
  long before = sum;
#endif
  sum = before + part;
  pthread_mutex_unlock(&sum_lock);
}

static void fill(Block cells, int block) {
  uint64_t random = 123456789 + (uint64_t)block;
  for (int y = 0; y < ROWS; y++)
    for (int x = 0; x < WIDTH; x++) cells[y + 1][x] = random_below(&random, 1000000);
}

static void* compute(void* arg) {
  int self = (int)(long)arg, above = (self + THREADS - 1) % THREADS, below = (self + 1) % THREADS;
  Block cells;
  fill(cells, self);
  for (int step = 0; step < STEPS; step++) {
    send(&channel[self][UP], step, cells[1]);
    send(&channel[self][DOWN], step, cells[ROWS]);
    receive(&channel[above][DOWN], step, cells[0]);
    receive(&channel[below][UP], step, cells[ROWS + 1]);
    count_flow(self);
    add_part(sweep(cells));
  }
  memcpy(result[self], cells[1], sizeof result[self]);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[THREADS];
  sweeps = scaled(900, argc, argv);
  for (int i = 0; i < THREADS; i++) {
    pthread_mutex_init(&edge_lock[i], NULL);
    for (int to = UP; to <= DOWN; to++) {
      pthread_mutex_init(&channel[i][to].lock, NULL);
      pthread_cond_init(&channel[i][to].changed, NULL);
    }
  }
  start_table();
  for (int i = 0; i < THREADS; i++) start(&threads[i], compute, i);
  join_all(threads, THREADS);
  finish_table();

  Block cells[THREADS];
  long expected = 0;
  for (int i = 0; i < THREADS; i++) fill(cells[i], i);
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < THREADS; i++) {
      memcpy(cells[(i + 1) % THREADS][0], cells[i][ROWS], sizeof cells[i][0]);
      memcpy(cells[(i + THREADS - 1) % THREADS][ROWS + 1], cells[i][1], sizeof cells[i][0]);
    }
    for (int i = 0; i < THREADS; i++) expected += sweep(cells[i]);
  }
  for (int i = 0; i < THREADS; i++)
    if (memcmp(result[i], cells[i][1], sizeof result[i]) != 0 || flow[i] != 2 * STEPS) fail(BUG);
  if (sum != expected) fail(BUG);
  return 0;
}
