// Two threads count without a lock. A library that was loaded meanwhile looks at the result when
// the program ends.
#include <dlfcn.h>

#include "program.h"

#ifndef LOAD
#define LOAD(path) dlopen(path, RTLD_NOW)
#endif

static volatile int counter;

static void* count(void* unused) {
  counter = counter + 1;
  return unused;
}

int main(void) {
  pthread_t threads[] = {start(count), start(count)};
  void* library = LOAD(LAST_LOOK);
  assert(library != NULL);
  void (*look)(const volatile int*, int) =
      (void (*)(const volatile int*, int))dlsym(library, "look_at_the_end");
  look(&counter, 2);
  for (int i = 0; i < 2; i++) finish(threads[i]);
  return 0;
}
