// What libsched tells a program with a sanitizer by. Such programs need kernel threads.
#include "program.h"

void __asan_init(void);
void __asan_init(void) {}

static void* nothing(void* unused) { return unused; }

int main(void) {
  pthread_t a = start(nothing);
  finish(a);
  return 0;
}
