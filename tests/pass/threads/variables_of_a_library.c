// Thread-local variables begin as they were initialised, in every thread: those of the program, and
// those of a library that was loaded when other threads had been there already.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "program.h"

#define THREADS 3

static __thread int numbered = 42;
static __thread char zeros[300];
static __thread _Alignas(1 << 16) int aligned = 7;
static int* (*early)(void);
static int* (*late)(void);

static void* use(void* unused) {
  static const char zero[sizeof zeros];
  assert(numbered == 42 && aligned == 7 && (uintptr_t)&aligned % (1 << 16) == 0);
  assert(memcmp(zeros, zero, sizeof zeros) == 0);
  // The C library's own, as the loader finds it.
  assert(dlsym(RTLD_DEFAULT, "errno") == &errno);
  numbered = aligned = 1;
  memset(zeros, 1, sizeof zeros);
  if (early != NULL) {
    assert(*early() == 5 && *late() == 6);
    *early() = *late() = numbered;
    sched_yield();
    assert(*early() == 1 && *late() == 1);
  }
  return unused;
}

static void in_threads(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) threads[i] = start(use);
  for (int i = 0; i < THREADS; i++) finish(threads[i]);
}

static void* function(void* library, const char* name) {
  void* found = dlsym(library, name);
  assert(found != NULL);
  return found;
}

int main(void) {
  in_threads();
  void* library = dlopen(THREAD_VARIABLES, RTLD_NOW);
  assert(library != NULL);
  early = (int* (*)(void))function(library, "early_variable");
  late = (int* (*)(void))function(library, "late_variable");
  in_threads();
  in_threads();
  return 0;
}
