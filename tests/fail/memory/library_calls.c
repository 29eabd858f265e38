// As set_then_compare, with lengths that leave the compiler no choice but to call the library.
#include <string.h>

#include "program.h"

static char buffer[128];

static void* fill(void* arg) {
  int letter = (int)(long)arg;
  size_t length = (size_t)letter;
  char expected[128];
  memset(expected, letter, length);
  memset(buffer, letter, length);
  int difference = memcmp(buffer, expected, length);
  assert(difference == 0);
  return NULL;
}

int main(void) {
  pthread_t a = start_with(fill, (void*)(long)'a'), b = start_with(fill, (void*)(long)'b');
  finish(a);
  finish(b);
  return 0;
}
