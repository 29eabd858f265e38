// A thread that reads from an empty pipe does not keep the writer from running.
#include <unistd.h>

#include "program.h"

static int ends[2];

static void* receive(void* unused) {
  char byte = 0;
  assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t t = start(receive);
  assert(write(ends[1], "x", 1) == 1);
  finish(t);
  return 0;
}
