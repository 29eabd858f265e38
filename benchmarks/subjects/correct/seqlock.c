// A sequence lock: the reader retries while the sequence is odd or has changed. Correct: an
// accepted pair is always consistent.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sequence, left, right;

static void* write_pair(void* unused) {
  for (int i = 1; i <= 2; i++) {
    atomic_fetch_add(&sequence, 1);
    atomic_store(&left, i);
    atomic_store(&right, -i);
    atomic_fetch_add(&sequence, 1);
  }
  return unused;
}

static void* read_pair(void* unused) {
  int before, l, r;
  do {
    before = atomic_load(&sequence);
    l = atomic_load(&left);
    r = atomic_load(&right);
  } while (before % 2 || before != atomic_load(&sequence));
  assert(l == -r);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, write_pair, 0);
  pthread_create(&threads[1], 0, read_pair, 0);
  pthread_create(&threads[2], 0, read_pair, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return 0;
}
