// Two threads play through eight checkpoints. Each checkpoint must be reached when the other thread
// is exactly one step behind; who comes too early or too late leaves the game. The bug is at the
// last checkpoint: 1 random walk in 2^30 (computed). Each checkpoint passed is a new branch.
#include <assert.h>
#include <pthread.h>

enum { CHECKPOINTS = 8 };

static volatile int left, right;

static void* play_left(void* unused) {
  for (int i = 0; i < CHECKPOINTS; i++) {
    if (right != i) return unused;
    left = i + 1;
  }
  return unused;
}

static void* play_right(void* unused) {
  for (int i = 0; i < CHECKPOINTS; i++) {
    if (left != i + 1) return unused;
    right = i + 1;
  }
  assert(!"passed every checkpoint");
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, play_left, 0);
  pthread_create(&b, 0, play_right, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
