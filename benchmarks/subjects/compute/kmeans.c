// Clusters points around centres: in every round each thread assigns its points to the nearest
// centre and adds them up; after a barrier thread 0 moves the centres and starts the next round.
#include <string.h>

#include "compute.h"

enum { THREADS = 3, CENTRES = 6, ROUNDS = 6 };

typedef struct {
  int x, y;
  int round;  // in which it is used
} Centre;

typedef struct {
  long x, y, count;
} Sum;

static int points;  // of each thread
static volatile Centre centre[CENTRES];
static Sum sum[CENTRES];
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t started = PTHREAD_COND_INITIALIZER;
static volatile int current_round;
static volatile long assigned;  // points, in all rounds
static volatile int parts;      // of rounds, each by one thread
static volatile long inertia;   // sum of all squared distances
static volatile int reports;

static void start_centres(Centre* c) {
  for (int i = 0; i < CENTRES; i++) c[i] = (Centre){i * 150, (i * 377) % 1000, 0};
}

// Adds the points of one thread to the sums of their nearest centres and returns the inertia.
static long assign(const Centre* c, int thread, Sum* sums) {
  uint64_t random = 2463534242 + (uint64_t)thread;
  long total = 0;
  int count = points;
  for (int i = 0; i < count; i++) {
    int x = random_below(&random, 1000), y = random_below(&random, 700 + x % 300), best = 0;
    long best_distance = -1;
    for (int k = 0; k < CENTRES; k++) {
      long dx = c[k].x - x, dy = c[k].y - y, distance = dx * dx + dy * dy;
      if (best_distance < 0 || distance < best_distance) best = k, best_distance = distance;
    }
    sums[best].x += x;
    sums[best].y += y;
    sums[best].count++;
    total += best_distance;
  }
  return total;
}

static Centre moved(Centre c, Sum s, int round) {
  if (s.count > 0) c.x = (int)(s.x / s.count), c.y = (int)(s.y / s.count);
  c.round = round;
  return c;
}

static void add_part(const Sum* sums, long part) {
#if BUG == 2
  // Two orderings: another thread adds its part between this read and this write.
  inertia = inertia + part;
#elif BUG == 4
  // Two orderings: the points are read before another thread adds to them, the parts after it.
  long seen = assigned;
  if (seen != (long)parts * points) fail(4);
#elif BUG == 5
  // Three orderings: another thread reports between this read and this write, and thread 2 reads
  // the number after the barrier before thread 0 corrects it.
  reports = reports + 1;
#endif
  pthread_mutex_lock(&lock);
  if (BUG != 2) inertia = inertia + part;
  if (BUG != 5) reports = reports + 1;
  for (int k = 0; k < CENTRES; k++) {
    sum[k].x += sums[k].x;
    sum[k].y += sums[k].y;
    sum[k].count += sums[k].count;
  }
  assigned = assigned + points;
  parts = parts + 1;
  pthread_mutex_unlock(&lock);
}

static void start_round(int round) {
  for (int k = 0; k < CENTRES - 1; k++) centre[k] = moved(centre[k], sum[k], round);
  Centre last = moved(centre[CENTRES - 1], sum[CENTRES - 1], round);
  memset(sum, 0, sizeof sum);
  pthread_mutex_lock(&lock);
#if BUG == 3
  // Two orderings: a thread sees the round started, and reads the last centre before it is stored.
  current_round = round;
  pthread_mutex_unlock(&lock);
  centre[CENTRES - 1] = last;
  pthread_mutex_lock(&lock);
#else
  centre[CENTRES - 1] = last;
  current_round = round;
#endif
  pthread_cond_broadcast(&started);
  pthread_mutex_unlock(&lock);
}

static void* cluster(void* arg) {
  int self = (int)(long)arg;
  for (int round = 0; round < ROUNDS; round++) {
    Centre own[CENTRES];
    Sum sums[CENTRES] = {{0, 0, 0}};
    pthread_mutex_lock(&lock);
    while (current_round < round) pthread_cond_wait(&started, &lock);
    pthread_mutex_unlock(&lock);
    for (int k = CENTRES - 1; k >= 0; k--) {
      own[k] = centre[k];
      if (own[k].round != round) fail(BUG);
    }
    add_part(sums, assign(own, self, sums));
    pthread_barrier_wait(&barrier);
    if (BUG == 5 && self == 0) reports = THREADS * (round + 1);
    pthread_mutex_lock(&lock);
    if (self == 2 && reports < THREADS * (round + 1)) fail(BUG);
    pthread_mutex_unlock(&lock);
    if (self == 0) start_round(round + 1);
  }
  return NULL;
}

int main(int argc, char** argv) {
  Centre expected[CENTRES];
  pthread_t threads[THREADS];
  points = scaled(60000, argc, argv);
  start_centres(expected);
  for (int k = 0; k < CENTRES; k++) centre[k] = expected[k];
  pthread_barrier_init(&barrier, NULL, THREADS);
  start_table();
  for (int i = 0; i < THREADS; i++) start(&threads[i], cluster, i);
  join_all(threads, THREADS);
  finish_table();

  long total = 0;
  for (int round = 0; round < ROUNDS; round++) {
    Sum sums[CENTRES] = {{0, 0, 0}};
    for (int i = 0; i < THREADS; i++) total += assign(expected, i, sums);
    for (int k = 0; k < CENTRES; k++) expected[k] = moved(expected[k], sums[k], round + 1);
  }
  for (int k = 0; k < CENTRES; k++)
    if (centre[k].x != expected[k].x || centre[k].y != expected[k].y) fail(BUG);
  if (inertia != total || assigned != (long)parts * points) fail(BUG);
  return 0;
}
