// One instruction reads here and writes there while another thread replaces what it reads.
#include <stdio.h>

#include "program.h"

static int source;
static int copy;

static void* copy_it(void* unused) {
  const int* from = &source;
  int* to = &copy;
  asm volatile("movsl" : "+S"(from), "+D"(to) : : "memory");
  return unused;
}

static void* replace(void* unused) {
  *(volatile int*)&source = 1;
  return unused;
}

int main(void) {
  pthread_t a = start(copy_it), b = start(replace);
  finish(a);
  finish(b);
  printf("%d", copy);
  return 0;
}
