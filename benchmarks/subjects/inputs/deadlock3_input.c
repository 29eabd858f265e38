// Three threads, each with a number below 1,000 of the input. 12, 24 and 36 make a thread take two
// of three locks: a and b, b and c, c and a. The bug: with all three numbers, whichever thread has
// which, the locks are taken in a circle.
#include <pthread.h>

#include "input.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;

static void take_both(pthread_mutex_t* one, pthread_mutex_t* other) {
  pthread_mutex_lock(one);
  pthread_mutex_lock(other);
  pthread_mutex_unlock(other);
  pthread_mutex_unlock(one);
}

static void* work(void* number) {
  long n = *(long*)number;
  if (n == 12) take_both(&a, &b);
  if (n == 24) take_both(&b, &c);
#ifdef RIGHT
  if (n == 36) take_both(&a, &c);
#else
  if (n == 36) take_both(&c, &a);
#endif
  return 0;
}

int main(int argc, char** argv) {
  long numbers[3];
  pthread_t threads[3];
  read_numbers(argc, argv, numbers, 3);
  for (int i = 0; i < 3; i++) {
    if (numbers[i] < 0 || numbers[i] >= 1000) return 0;
  }
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, &numbers[i]);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return 0;
}
