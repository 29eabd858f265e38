// A thread overwrites y only for one value of the input, which is any of 2^64; main writes y too
// and must win. The bug: nothing orders the two writes. The input has to be 10, and then main's
// write has to come first: one order in two.
#include <assert.h>
#include <pthread.h>

#include "input.h"

static long x;
static volatile int y;

static void* overwrite(void* unused) {
  if (x == 10) y = 2;
  return unused;
}

int main(int argc, char** argv) {
  x = read_number(argc, argv);
  pthread_t thread;
#ifdef RIGHT
  y = 1;
  pthread_create(&thread, 0, overwrite, 0);
  pthread_join(thread, 0);
  y = 1;
#else
  pthread_create(&thread, 0, overwrite, 0);
  y = 1;
  pthread_join(thread, 0);
#endif
  assert(y != 2);
  return 0;
}
