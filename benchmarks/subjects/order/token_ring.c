// A token goes round three threads: each copies its neighbour's number (the first adds one) under
// the ring's lock. Main relies on a full round taking more than one pass. The bug: the threads
// happen to move in exactly the order of the ring. One of six orders of the three critical
// sections: 1 random walk in 6 (computed).
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t ring = PTHREAD_MUTEX_INITIALIZER;
static volatile int first, second, third;

static void* move_first(void* unused) {
  pthread_mutex_lock(&ring);
  first = (third + 1) % 4;
  pthread_mutex_unlock(&ring);
  return unused;
}

static void* move_second(void* unused) {
  pthread_mutex_lock(&ring);
  second = first;
  pthread_mutex_unlock(&ring);
  return unused;
}

static void* move_third(void* unused) {
  pthread_mutex_lock(&ring);
  third = second;
  pthread_mutex_unlock(&ring);
  return unused;
}

int main(void) {
  void* (*roles[])(void*) = {move_third, move_second, move_first};
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, roles[i], 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  assert(third == 0);
  return 0;
}
