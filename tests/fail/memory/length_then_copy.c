// strlen and memcpy on a string that another thread makes longer in between: the copy has no end.
#include <string.h>

#include "program.h"

static char text[32] = "short";

static void* lengthen(void* unused) {
  strcpy(text, "very much longer");
  return unused;
}

static void* copy(void* unused) {
  char seen[33];
  size_t length = strlen(text);
  memcpy(seen, text, sizeof text);
  assert(seen[length] == 0);
  return unused;
}

int main(void) {
  pthread_t a = start(lengthen), b = start(copy);
  finish(a);
  finish(b);
  return 0;
}
