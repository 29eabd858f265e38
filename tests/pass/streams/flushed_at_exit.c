// What a stream has not written at the end of the program goes into a pipe that another thread
// reads: the end waits for that.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "program.h"

static int ends[2];

static void* read_it(void* unused) {
  char bytes[1000];
  while (read(ends[0], bytes, sizeof bytes) > 0) continue;
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
  static char buffer[20000];
  FILE* out = fdopen(ends[1], "w");
  assert(setvbuf(out, buffer, _IOFBF, sizeof buffer) == 0);
  start(read_it);
  for (int i = 0; i < 15000; i++) assert(putc('x', out) == 'x');
  return 0;
}
