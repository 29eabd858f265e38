// As seen_by_library, but the library has a C library of its own, where a failed assertion is but
// a signal.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "program.h"

static volatile int counter;

static void* count(void* unused) {
  counter = counter + 1;
  return unused;
}

int main(void) {
  pthread_t threads[] = {start(count), start(count)};
  void* library = dlmopen(LM_ID_NEWLM, LAST_LOOK, RTLD_NOW);
  assert(library != NULL);
  void (*look)(const volatile int*, int) =
      (void (*)(const volatile int*, int))dlsym(library, "look_at_the_end");
  look(&counter, 2);
  for (int i = 0; i < 2; i++) finish(threads[i]);
  return 0;
}
