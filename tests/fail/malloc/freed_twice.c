// Both threads find the buffer and give it back.
#include "program.h"

static char* volatile buffer;

static void* drop(void* unused) {
  char* mine = buffer;
  if (mine) {
    free(mine);
    buffer = NULL;
  }
  return unused;
}

int main(void) {
  buffer = malloc(24);
  pthread_t a = start(drop), b = start(drop);
  finish(a);
  finish(b);
  return 0;
}
