// memset and memcmp on one buffer from two threads.
#include <string.h>

#include "program.h"

static char buffer[100];

static void* fill(void* arg) {
  char expected[100];
  memset(expected, *(char*)arg, sizeof expected);
  memset(buffer, *(char*)arg, sizeof buffer);
  assert(memcmp(buffer, expected, sizeof buffer) == 0);
  return NULL;
}

int main(void) {
  pthread_t a = start_with(fill, "a"), b = start_with(fill, "b");
  finish(a);
  finish(b);
  return 0;
}
