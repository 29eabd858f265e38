// Motion search as in a video encoder: for each block of a picture the best match in the previous
// picture is sought around a guess from its neighbours. Rows are dealt to threads; a row may only
// look at blocks above it that the thread of that row has finished.
#include "compute.h"

enum { THREADS = 3, ROWS = 9, COLUMNS = 6, SIDE = 16, UNKNOWN = 1000 };

typedef struct {
  int x, y;
} Vector;

static int radius;  // of the search
static volatile int vector_x[ROWS][COLUMNS], vector_y[ROWS][COLUMNS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t advanced[ROWS];
static volatile int progress[ROWS];  // finished blocks
static volatile long total;
static volatile int newest_row;  // the highest row that a thread has finished
static volatile int rows_done;

// Both pictures are computed: waves, the second moved by some pixels.
static int pixel(int x, int y) { return ((x * x / 7 + y * 13) ^ (x * 5 + y * y / 11)) & 255; }

static long difference(int row, int column, int x, int y) {
  long sum = (x < 0 ? -x : x) + (y < 0 ? -y : y);
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) {
      int px = column * SIDE + j, py = row * SIDE + i;
      int delta = pixel(px + 3 + row % 2, py + 2) - pixel(px + x, py + y);
      sum += delta < 0 ? -delta : delta;
    }
  return sum;
}

static Vector search(int row, int column, Vector guess, long* best) {
  Vector found = guess;
  *best = difference(row, column, guess.x, guess.y);
  for (int y = guess.y - radius; y <= guess.y + radius; y++)
    for (int x = guess.x - radius; x <= guess.x + radius; x++) {
      long value = difference(row, column, x, y);
      if (value < *best) *best = value, found = (Vector){x, y};
    }
  return found;
}

// The mean of two neighbours.
static Vector middle(Vector a, Vector b) { return (Vector){(a.x + b.x) / 2, (a.y + b.y) / 2}; }

static void finish_block(int row, int column, Vector found) {
  vector_y[row][column] = found.y;
  pthread_mutex_lock(&lock);
#if BUG == 2
  // Two orderings: the thread below sees the block finished, and reads the vector before it is
  // stored.
  progress[row] = column + 1;
  pthread_mutex_unlock(&lock);
  vector_x[row][column] = found.x;
  pthread_mutex_lock(&lock);
#else
  vector_x[row][column] = found.x;
  progress[row] = column + 1;
#endif
  pthread_cond_signal(&advanced[row]);
  pthread_mutex_unlock(&lock);
}

static Vector wait_for_block(int row, int column) {
#if BUG == 4
  // Two orderings: the block is finished between this test and this wait, which misses the signal.
  // If it is the last of its row there is no other signal: a deadlock.
  while (progress[row] <= column) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&advanced[row], &lock);
    pthread_mutex_unlock(&lock);
  }
#else
  pthread_mutex_lock(&lock);
  while (progress[row] <= column) pthread_cond_wait(&advanced[row], &lock);
  pthread_mutex_unlock(&lock);
#endif
  Vector above = {vector_x[row][column], vector_y[row][column]};
  if (above.x == UNKNOWN) fail(BUG);
  return above;
}

static void finish_row(int row, long cost) {
#if BUG == 3
  // Two orderings: another thread adds its row between this read and this write of the total.
  total = total + cost;
#elif BUG == 5
  // Three orderings: another thread stores a higher row between this comparison and this store, and
  // a third has looked in between (see look_ahead) and looks again after it.
  if (row > newest_row) newest_row = row;
#endif
  pthread_mutex_lock(&lock);
  if (BUG != 3) total = total + cost;
  if (BUG != 5 && row > newest_row) newest_row = row;
  rows_done = rows_done + 1;
  pthread_mutex_unlock(&lock);
}

// The newest row never goes back.
static void look_ahead(int* last_seen) {
  if (BUG != 5) pthread_mutex_lock(&lock);
  int seen = newest_row;
  if (BUG != 5) pthread_mutex_unlock(&lock);
  if (seen < *last_seen) fail(BUG);
  *last_seen = seen;
}

static void* search_rows(void* arg) {
  int last_seen = 0;
  for (int row = (int)(long)arg; row < ROWS; row += THREADS) {
    Vector left = {0, 0};
    long cost = 0, best;
    for (int column = 0; column < COLUMNS; column++, cost += best) {
      int right = column + 1 < COLUMNS ? column + 1 : column;
      Vector guess = row > 0 ? middle(left, wait_for_block(row - 1, right)) : left;
      left = search(row, column, guess, &best);
      finish_block(row, column, left);
      look_ahead(&last_seen);
    }
    finish_row(row, cost);
  }
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[THREADS];
  radius = scaled_side(12, argc, argv);
  for (int row = 0; row < ROWS; row++) {
    pthread_cond_init(&advanced[row], NULL);
    for (int column = 0; column < COLUMNS; column++) vector_x[row][column] = UNKNOWN;
  }
  start_table();
  for (int i = 0; i < THREADS; i++) start(&threads[i], search_rows, i);
  join_all(threads, THREADS);
  finish_table();

  long expected = 0, best;
  for (int row = 0; row < ROWS; row++) {
    Vector left = {0, 0};
    for (int column = 0; column < COLUMNS; column++, expected += best) {
      int right = column + 1 < COLUMNS ? column + 1 : column;
      Vector above = {row > 0 ? vector_x[row - 1][right] : 0,
                      row > 0 ? vector_y[row - 1][right] : 0};
      left = search(row, column, row > 0 ? middle(left, above) : left, &best);
      if (left.x != vector_x[row][column] || left.y != vector_y[row][column]) fail(BUG);
    }
  }
  if (total != expected || rows_done != ROWS) fail(BUG);
  return 0;
}
