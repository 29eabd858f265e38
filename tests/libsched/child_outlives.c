// Leaves two processes behind, each in a session of its own, one the child of the other. Their
// numbers are in the file of the first argument.
#include <stdio.h>
#include <unistd.h>

#include "program.h"

static const char* name;

static int ready[2];  // a pipe

static void live_on(void) {
  pid_t self = getpid();
  setsid();
  pid_t below = fork();
  if (below == 0) {
    setsid();
    char byte = 0;
    assert(write(ready[1], &byte, 1) == 1);
  } else {
    FILE* file = fopen(name, "w");
    fprintf(file, "%d %d\n", self, below);
    fclose(file);
    char byte = 0;
    assert(write(ready[1], &byte, 1) == 1);
  }
  for (;;) {
    pause();
  }
}

static void* make_child(void* unused) {
  assert(pipe(ready) == 0);
  pid_t child = fork();
  assert(child >= 0);
  if (child == 0) {
    live_on();
  }
  char byte;
  assert(read(ready[0], &byte, 1) == 1);
  assert(read(ready[0], &byte, 1) == 1);
  return unused;
}

int main(int argc, char** argv) {
  assert(argc == 2);
  name = argv[1];
  finish(start(make_child));
  return 0;
}
