// A thread ends without giving back its file lock. The bug: the descriptor stays open, and with it
// the lock, so nobody else ever gets it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "program.h"

static char name[] = "/tmp/rff-lock-XXXXXX";

static void* forgets(void* unused) {
  int file = open(name, O_RDWR);
  assert(file >= 0);
  if (flock(file, LOCK_EX | LOCK_NB) != 0) close(file);
  return unused;
}

static void* takes_turns(void* unused) {
  FILE* file = fopen(name, "r");
  assert(file != NULL && flock(fileno(file), LOCK_SH) == 0);
  fclose(file);
  return unused;
}

int main(void) {
  close(mkstemp(name));
  pthread_t threads[2] = {start(forgets), start(takes_turns)};
  finish(threads[0]);
  finish(threads[1]);
  unlink(name);
  return 0;
}
