// What lies in memory that was allocated and not initialised is left from whoever had it before:
// the loader, the allocator, threads that have ended. It is the same every time.
#include <stdint.h>
#include <stdio.h>

#include "program.h"

static uint64_t hash;

static void* leave_traces(void* unused) {
  void* blocks[40];
  for (int i = 0; i < 40; i++) {
    blocks[i] = malloc(20 + (size_t)i * 9);
  }
  for (int i = 0; i < 40; i++) {
    free(blocks[i]);
  }
  return unused;
}

static void look(void) {
  for (size_t words = 3; words < 120; words += 2) {
    volatile uint64_t* block = malloc(words * sizeof *block);
    for (size_t i = 0; i < words; i++) {
      hash = hash * 31 + block[i];
    }
  }
}

int main(void) {
  look();
  pthread_t a = start(leave_traces), b = start(leave_traces);
  finish(a);
  finish(b);
  look();
  a = start(leave_traces);
  look();
  finish(a);
  look();
  printf("%lx\n", (unsigned long)hash);
  return 0;
}
