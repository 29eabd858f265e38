// Threads that look for long at a flag which nobody sets, and give up: they count the rounds in a
// register, on the stack, on the heap, in a variable of their own.
#include "program.h"

enum { kRounds = 5000 };
static volatile int flag;
static volatile int own_count;

// Its value in a vector register stays there meanwhile.
static void* count_in_register(void* unused) {
  long kept = 4711, found = 0;
  asm volatile("movq %0, %%xmm13" : : "r"(kept) : "xmm13");
  for (int i = 0; i < kRounds && !flag; i++) {
  }
  asm volatile("movq %%xmm13, %0" : "=r"(found));
  assert(found == kept);
  return unused;
}

static void* count_on_stack(void* unused) {
  for (volatile int i = 0; i < kRounds && !flag; i++) {
  }
  return unused;
}

static void* count_on_heap(void* unused) {
  volatile int* i = malloc(sizeof *i);
  for (*i = 0; *i < kRounds && !flag; ++*i) {
  }
  free((void*)i);
  return unused;
}

static void* count_in_variable(void* unused) {
  for (; own_count < kRounds && !flag; own_count++) {
  }
  return unused;
}

int main(void) {
  pthread_t threads[] = {start(count_in_register), start(count_on_stack), start(count_on_heap),
                         start(count_in_variable)};
  for (int i = 0; i < 4; i++) {
    finish(threads[i]);
  }
  return 0;
}
