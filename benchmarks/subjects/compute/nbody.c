// Bodies attract each other in a plane. In every step each thread copies all positions and, after a
// barrier, moves its own bodies in many small steps, as far as thread 0 says; then all meet again.
#include <string.h>

#include "compute.h"

enum { THREADS = 3, STEPS = 6, BODIES = 48 };

typedef struct {
  double x, y;
} Vector;

static int substeps;
static Vector position[BODIES], velocity[BODIES];
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t paced = PTHREAD_COND_INITIALIZER;
static volatile int paced_step = -1;  // the last step whose pace is known
static volatile int pace;
static volatile long distance;  // all bodies moved so far
static volatile long top_speed;
static volatile int finished;  // parts of steps

static int pace_of(int step) { return 3 + step % 3; }

// Moves bodies [first, last) in the field of `all` and returns how far in total.
static long move(const Vector* all, int first, int last, int length, long* fastest) {
  double sum = 0, scale = length / 1024.0 / substeps;
  int rounds = substeps;
  for (int i = first; i < last; i++) {
    Vector p = all[i], v = velocity[i];
    for (int round = 0; round < rounds; round++) {
      double ax = 0, ay = 0, softening = 0.5;
      for (int j = 0; j < BODIES; j++) {
        double dx = all[j].x - p.x, dy = all[j].y - p.y;
        double pull = 1 / (dx * dx + dy * dy + softening);
        ax += dx * pull;
        ay += dy * pull;
      }
      v = (Vector){v.x + ax * scale, v.y + ay * scale};
      p = (Vector){p.x + v.x * scale, p.y + v.y * scale};
    }
    velocity[i] = v;
    position[i] = p;
    sum += (p.x - all[i].x) * (p.x - all[i].x) + (p.y - all[i].y) * (p.y - all[i].y);
    long speed = (long)((v.x * v.x + v.y * v.y) * 1e9);
    if (speed > *fastest) *fastest = speed;
  }
  return (long)(sum * 1e9);
}

static void tell_pace(int step) {
  pthread_mutex_lock(&lock);
#if BUG == 3
  // Two orderings: a thread sees the step announced, and reads the pace before it is stored.
  paced_step = step;
  pthread_mutex_unlock(&lock);
  pace = pace_of(step);
  pthread_mutex_lock(&lock);
#else
  pace = pace_of(step);
  paced_step = step;
#endif
  pthread_cond_broadcast(&paced);
  pthread_mutex_unlock(&lock);
}

static int wait_for_pace(int step) {
  pthread_mutex_lock(&lock);
  while (paced_step < step) pthread_cond_wait(&paced, &lock);
  pthread_mutex_unlock(&lock);
  if (pace != pace_of(step)) fail(BUG);
  return pace;
}

static void offer_speed(long speed) {
#if BUG == 4
  // Two orderings: another thread stores a higher speed between this comparison and this store.
  if (speed <= top_speed) return;
  pthread_mutex_lock(&lock);
  if (speed < top_speed) fail(4);
#else
  pthread_mutex_lock(&lock);
  if (speed > top_speed)
#endif
  top_speed = speed;
  pthread_mutex_unlock(&lock);
}

static void add_part(long moved) {
#if BUG == 2
  // Two orderings: another thread adds its part between this read and this write of the distance.
  distance = distance + moved;
  pthread_mutex_lock(&lock);
#else
#if BUG == 5
  // Three orderings: another thread counts its part between this read and this write, and thread 2
  // reads the number after the step before thread 0 corrects it.
  finished = finished + 1;
#endif
  pthread_mutex_lock(&lock);
  distance = distance + moved;
#endif
  if (BUG != 5) finished = finished + 1;
  pthread_mutex_unlock(&lock);
}

static void* simulate(void* arg) {
  int self = (int)(long)arg, first = BODIES * self / THREADS, last = BODIES * (self + 1) / THREADS;
  for (int step = 0; step < STEPS; step++) {
    Vector all[BODIES];
    long fastest = 0;
    memcpy(all, position, sizeof all);
    pthread_barrier_wait(&barrier);
    if (self == 0) tell_pace(step);
    long moved = move(all, first, last, wait_for_pace(step), &fastest);
    offer_speed(fastest);
    add_part(moved);
    pthread_barrier_wait(&barrier);
    if (BUG == 5 && self == 0) finished = THREADS * (step + 1);
    if (self == 2 && finished < THREADS * (step + 1)) fail(BUG);
  }
  return NULL;
}

static void fill(void) {
  uint64_t random = 362436069;
  for (int i = 0; i < BODIES; i++) {
    position[i] = (Vector){random_below(&random, 1000) / 10.0, random_below(&random, 1000) / 10.0};
    velocity[i] = (Vector){0, 0};
  }
}

int main(int argc, char** argv) {
  Vector end[BODIES], all[BODIES];
  pthread_t threads[THREADS];
  substeps = scaled(800, argc, argv);
  fill();
  pthread_barrier_init(&barrier, NULL, THREADS);
  start_table();
  for (int i = 0; i < THREADS; i++) start(&threads[i], simulate, i);
  join_all(threads, THREADS);
  finish_table();

  long fastest = 0, moved = 0;
  memcpy(end, position, sizeof end);
  fill();
  for (int step = 0; step < STEPS; step++) {
    memcpy(all, position, sizeof all);
    for (int i = 0; i < THREADS; i++)
      moved += move(all, BODIES * i / THREADS, BODIES * (i + 1) / THREADS, pace_of(step), &fastest);
  }
  if (memcmp(end, position, sizeof end) != 0 || moved != distance || fastest != top_speed)
    fail(BUG);
  return 0;
}
