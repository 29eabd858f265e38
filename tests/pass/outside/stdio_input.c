// A thread waits inside stdio for what another thread writes, in pieces that end anywhere.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

static int ends[2];
static volatile int written;

static void* produce(void* unused) {
  const char* pieces[] = {"fir", "st\nsecond line\nx", "binary!",
                          "42 ", "43\nlast",           " line without end"};
  for (int i = 0; i < 6; i++) {
    written = written + 1;
    assert(write(ends[1], pieces[i], strlen(pieces[i])) == (ssize_t)strlen(pieces[i]));
  }
  close(ends[1]);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t producer = start(produce);
  FILE* in = fdopen(ends[0], "r");
  char line[100];
  assert(fgets(line, sizeof line, in) == line && strcmp(line, "first\n") == 0);
  char* longer = NULL;
  size_t room = 0;
  assert(getline(&longer, &room, in) == 12 && strcmp(longer, "second line\n") == 0);
  assert(getc(in) == 'x');
  assert(fread(line, 1, 7, in) == 7 && memcmp(line, "binary!", 7) == 0);
  assert(fgets(line, sizeof line, in) == line && strcmp(line, "42 43\n") == 0);
  assert(getdelim(&longer, &room, '\n', in) == 21 && strcmp(longer, "last line without end") == 0);
  assert(getc_unlocked(in) == EOF && feof(in));
  free(longer);
  fclose(in);
  finish(producer);
  assert(written == 6);
  return 0;
}
