// Reads a line, opens a pipe, which makes it begin again under the runtime, and reads another line.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

static void* nothing(void* unused) { return unused; }

static void expect_line(const char* text) {
  char line[80];
  assert(fgets(line, sizeof line, stdin) != NULL);
  assert(strcmp(line, text) == 0);
}

int main(void) {
  expect_line("first\n");
  int ends[2];
  assert(pipe(ends) == 0);
  finish(start(nothing));
  expect_line("second\n");
  return 0;
}
