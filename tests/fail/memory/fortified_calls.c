// As library_calls, in a program that was built with _FORTIFY_SOURCE: the compiler calls other
// functions then.
#include <stdio.h>
#include <string.h>

#include "program.h"

void* __memcpy_chk(void*, const void*, size_t, size_t);
char* __strcpy_chk(char*, const char*, size_t);

static char shared[16] = "aaaaaaa";

static void* change(void* unused) {
  __memcpy_chk(shared, "bbbbbbb", 8, sizeof shared);
  return unused;
}

int main(void) {
  pthread_t other = start(change);
  char first[16], second[16];
  __strcpy_chk(first, shared, sizeof first);
  __strcpy_chk(second, shared, sizeof second);
  assert(strcmp(first, second) == 0);
  finish(other);
  return 0;
}
