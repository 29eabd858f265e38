// Two threads both find the pointer empty and allocate; one of the two blocks is lost together with
// what was written into it.
#include "program.h"

static int* volatile shared;

static void* add(void* unused) {
  if (!shared) shared = calloc(1, sizeof(int));
  __atomic_fetch_add(shared, 1, __ATOMIC_SEQ_CST);
  return unused;
}

int main(void) {
  pthread_t a = start(add), b = start(add);
  finish(a);
  finish(b);
  assert(*shared == 2);
  return 0;
}
