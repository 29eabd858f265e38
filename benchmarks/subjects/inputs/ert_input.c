// Two threads count x and y up to 20 each; main reads both once. The bug: it fails if the input, a
// byte, is 100 and both counters are 19 at that moment: one state of 441.
#include <assert.h>
#include <pthread.h>

#include "input.h"

enum { LAST = 20, BAD = 19 };
static volatile int x, y;

static void* count(void* counter) {
  volatile int* value = counter;
  for (int i = 0; i < LAST; i++) *value = *value + 1;
  return 0;
}

int main(int argc, char** argv) {
  unsigned char wanted = (unsigned char)read_number(argc, argv);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, count, (void*)&x);
  pthread_create(&threads[1], 0, count, (void*)&y);
#ifdef RIGHT
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
#endif
  int seen_x = x, seen_y = y;
#ifndef RIGHT
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
#endif
  assert(!(wanted == 100 && seen_x == BAD && seen_y == BAD));
  return 0;
}
