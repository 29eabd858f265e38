// A program that wraps the allocator and asks how large every block is, those too that the loader
// allocates for a thread.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>

#include "program.h"

static long bytes;

static void* next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  assert(found != NULL);
  return found;
}

void* calloc(size_t count, size_t size) {
  static void* (*real)(size_t, size_t);
  if (real == NULL) real = (void* (*)(size_t, size_t))next("calloc");
  void* block = real(count, size);
  bytes += (long)malloc_usable_size(block);
  return block;
}

void free(void* block) {
  static void (*real)(void*);
  if (real == NULL) real = (void (*)(void*))next("free");
  if (block != NULL) bytes -= (long)malloc_usable_size(block);
  real(block);
}

static void* use(void* unused) {
  free(calloc(10, 10));
  return unused;
}

int main(void) {
  for (int round = 0; round < 2; round++) {
    pthread_t threads[] = {start(use), start(use)};
    for (int i = 0; i < 2; i++) finish(threads[i]);
  }
  return 0;
}
