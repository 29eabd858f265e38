// Two threads spin on plain flags that the other sets: a chain of waits that always ends.
#include "program.h"

static volatile int first, second, third;

static void* left(void* unused) {
  first = 1;
  while (!second) {
  }
  third = 1;
  return unused;
}

static void* right(void* unused) {
  while (!first) __builtin_ia32_pause();
  second = 1;
  while (!third) {
  }
  return unused;
}

int main(void) {
  pthread_t b = start(right), a = start(left);
  finish(a);
  finish(b);
  return 0;
}
