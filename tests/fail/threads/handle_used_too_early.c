// The new thread uses the variable that its creator fills after pthread_create.
#include "program.h"

static int* volatile shared;

static void* use(void* unused) {
  *(volatile int*)shared = 1;
  return unused;
}

int main(void) {
  static int value;
  pthread_t t = start(use);
  shared = &value;
  finish(t);
  return 0;
}
