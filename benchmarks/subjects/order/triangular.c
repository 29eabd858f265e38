// Two threads each do ROUNDS steps of "mine = other's + 1". The bug: only a perfect alternation
// drives the larger of the two to its theoretical maximum. Each of the 2 * ROUNDS steps is a read
// and a write that must stay together and take its turn: for five rounds 1 random walk in 262,144
// (computed: 2^-18).
#include <assert.h>
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 5
#endif

enum { START = 6, MAXIMUM = START + 2 * ROUNDS };

static volatile int left = START / 2, right = START;

static void* raise_left(void* unused) {
  for (int i = 0; i < ROUNDS; i++) left = right + 1;
  return unused;
}

static void* raise_right(void* unused) {
  for (int i = 0; i < ROUNDS; i++) right = left + 1;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, raise_left, 0);
  pthread_create(&b, 0, raise_right, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(left < MAXIMUM && right < MAXIMUM);
  return 0;
}
