// Two threads answer each other over two pipes, by lines of stdio. The bug: each of them waits for
// the other's first line if the one that begins has been told not to.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

static FILE *to_first[2], *to_second[2];
static int first_begins = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void open_pipe(FILE* streams[2]) {
  int ends[2];
  assert(pipe(ends) == 0);
  streams[0] = fdopen(ends[0], "r");
  streams[1] = fdopen(ends[1], "w");
}

static void* answer(void* unused) {
  char line[10];
  assert(fgets(line, sizeof line, to_second[0]) == line && strcmp(line, "first\n") == 0);
  assert(fputs("second\n", to_first[1]) >= 0 && fflush(to_first[1]) == 0);
  return unused;
}

static void* tell(void* unused) {
  pthread_mutex_lock(&lock);
  first_begins = 0;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  open_pipe(to_first);
  open_pipe(to_second);
  pthread_t threads[2] = {start(answer), start(tell)};
  pthread_mutex_lock(&lock);
  int begins = first_begins;
  pthread_mutex_unlock(&lock);
  if (begins) assert(fprintf(to_second[1], "first\n") == 6 && fflush(to_second[1]) == 0);
  char* line = NULL;
  size_t room = 0;
  assert(getline(&line, &room, to_first[0]) == 7);
  finish(threads[0]);
  finish(threads[1]);
  return 0;
}
