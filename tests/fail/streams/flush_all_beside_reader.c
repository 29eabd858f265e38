// The bug: fflush(NULL) waits for every stream that another thread has locked, also for one from
// which that thread reads, and what it reads would come only afterwards.
#include <stdio.h>
#include <unistd.h>

#include "program.h"

static int ends[2];

static void* read_line(void* unused) {
  FILE* in = fdopen(ends[0], "r");
  char line[10];
  assert(fgets(line, sizeof line, in) == line);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t thread = start(read_line);
  assert(fflush(NULL) == 0);
  assert(write(ends[1], "line\n", 5) == 5);
  finish(thread);
  return 0;
}
