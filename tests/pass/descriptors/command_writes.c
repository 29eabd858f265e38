// A command that the program leaves in the background has an end of its pipe, too: waiting for what
// it writes is no deadlock.
#include <stdio.h>
#include <unistd.h>

#include "program.h"

static int ends[2];

static void* receive(void* unused) {
  char byte = 0;
  assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
  return unused;
}

int main(void) {
  char command[64];
  assert(pipe(ends) == 0);
  pthread_t thread = start(receive);
  snprintf(command, sizeof command, "(sleep 0.01; printf x >&%d) &", ends[1]);
  assert(system(command) == 0);
  finish(thread);
  return 0;
}
