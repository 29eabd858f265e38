// Stacks as small as allowed, large ones, and ones that the program brings.
#define _GNU_SOURCE
#include <limits.h>
#include <string.h>
#include <sys/mman.h>

#include "program.h"

enum { kLarge = 64 << 20, kOwn = 1 << 16 };

static void* use_little(void* unused) {
  volatile char bytes[2000];
  memset((void*)bytes, 1, sizeof bytes);
  return unused;
}

static void* use_much(void* unused) {
  volatile char* bytes = __builtin_alloca(kLarge / 2);
  for (long i = 0; i < kLarge / 2; i += 1 << 16) bytes[i] = 1;
  return unused;
}

static void* find_stack(void* unused) {
  pthread_attr_t attributes;
  void* low = NULL;
  size_t size = 0;
  (void)unused;
  assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
  assert(pthread_attr_getstack(&attributes, &low, &size) == 0);
  assert((char*)low <= (char*)&size && (char*)&size < (char*)low + size);
  return low;
}

static void* run_with(pthread_attr_t* attributes, void* (*body)(void*)) {
  pthread_t thread;
  assert(pthread_create(&thread, attributes, body, NULL) == 0);
  return finish(thread);
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  assert(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) == 0);
  run_with(&attributes, use_little);
  assert(pthread_attr_setstacksize(&attributes, kLarge) == 0);
  run_with(&attributes, use_much);
  void* own = mmap(NULL, kOwn, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(own != MAP_FAILED && pthread_attr_setstack(&attributes, own, kOwn) == 0);
  assert(run_with(&attributes, find_stack) == own);
  run_with(&attributes, use_little);
  munmap(own, kOwn);
  run_with(NULL, find_stack);
  return 0;
}
