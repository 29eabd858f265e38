// Eleven threads set one letter: ten of them 'Y', one of them 'X'. The bug: the 'X' is still there
// at the end, so its thread must write last. 1 of 11 equally likely orders (computed); nothing but
// the order of writes tells the runs apart.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { Y_THREADS = 10 };

static char* volatile letter;

static void* set_x(void* unused) {
  *(volatile char*)letter = 'X';
  return unused;
}

static void* set_y(void* unused) {
  *(volatile char*)letter = 'Y';
  return unused;
}

int main(void) {
  pthread_t x, y[Y_THREADS];
  letter = calloc(1, 1);
  pthread_create(&x, 0, set_x, 0);
  for (int i = 0; i < Y_THREADS; i++) pthread_create(&y[i], 0, set_y, 0);
  pthread_join(x, 0);
  for (int i = 0; i < Y_THREADS; i++) pthread_join(y[i], 0);
  assert(*(volatile char*)letter == 'Y');
  free(letter);
  return 0;
}
