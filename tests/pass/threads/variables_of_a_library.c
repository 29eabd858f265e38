// Thread-local variables begin as they were initialised, in every thread: those of the program, and
// those of libraries that were loaded when other threads had been there already.
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

static int* (*function(const char* path, const char* name))(void) {
  void* library = dlopen(path, RTLD_NOW);
  assert(library != NULL);
  void* found = dlsym(library, name);
  assert(found != NULL);
  return (int* (*)(void))found;
}

int main(void) {
  in_threads();
  early = function(EARLY_VARIABLE, "early_variable");
  late = function(LATE_VARIABLE, "late_variable");
  in_threads();
  in_threads();
  return 0;
}
