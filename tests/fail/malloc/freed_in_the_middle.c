// A pointer is moved on between its check and its free: the C library notices, and its abort is the
// failure.
#include <stdlib.h>

#include "program.h"

static char* volatile next;

static void* drop(void* unused) {
  free(next);
  return unused;
}

static void* move_on(void* unused) {
  next = next + 8;
  return unused;
}

int main(void) {
  next = malloc(40);
  pthread_t a = start(drop), b = start(move_on);
  finish(a);
  finish(b);
  return 0;
}
