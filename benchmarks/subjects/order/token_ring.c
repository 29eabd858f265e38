// A token goes round three threads: each copies its neighbour's number (the first adds one) under the ring's lock. A checker counts the
// tokens but looks at the three numbers one by one. The bug: it reads the first before the first thread moved, the second after
// the second thread moved, the third before the third thread moved: three tokens. A few runs in a hundred under a random walk.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t ring = PTHREAD_MUTEX_INITIALIZER;
static volatile int first, second, third;

static void *move_first(void *unused) {
  pthread_mutex_lock(&ring);
  first = (third + 1) % 4;
  pthread_mutex_unlock(&ring);
  return unused;
}

static void *move_second(void *unused) {
  pthread_mutex_lock(&ring);
  second = first;
  pthread_mutex_unlock(&ring);
  return unused;
}

static void *move_third(void *unused) {
  pthread_mutex_lock(&ring);
  third = second;
  pthread_mutex_unlock(&ring);
  return unused;
}

static void *check(void *unused) {
  int a = first, b = second, c = third;
  int tokens = (a == c) + (b != a) + (c != b);
  assert(tokens == 1);
  return unused;
}

int main(void) {
  void *(*roles[])(void *) = {move_first, move_second, move_third, check};
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, roles[i], 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  return 0;
}
