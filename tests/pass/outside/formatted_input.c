// Formatted input waits in the middle of a number for what another thread writes.
#include <stdio.h>
#include <unistd.h>

#include "program.h"

static int ends[2];

static void* feed(void* unused) {
  assert(write(ends[1], "12", 2) == 2);
  sched_yield();
  assert(write(ends[1], "34 5", 4) == 4);
  sched_yield();
  assert(write(ends[1], "6\nrest", 6) == 6);
  close(ends[1]);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  FILE* f = fdopen(ends[0], "r");
  pthread_t thread = start(feed);
  int a = 0, b = 0;
  char word[8];
  assert(fscanf(f, "%d %d", &a, &b) == 2 && a == 1234 && b == 56);
  // What was looked at is still there.
  assert(fgetc(f) == '\n');
  assert(fscanf(f, "%7s", word) == 1 && word[0] == 'r' && word[3] == 't');
  assert(fscanf(f, "%d", &a) == EOF && feof(f));
  finish(thread);
  return 0;
}
