// Files are opened before the run begins, for reading, and locked by threads: what a run leaves
// locked is free in the next one.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "program.h"

static int first, second, copy;

static void* locks(void* unused) {
  assert(flock(second, LOCK_EX | LOCK_NB) == 0);
  assert(flock(second, LOCK_UN) == 0);
  assert(flock(copy, LOCK_EX) == 0);  // left locked
  return unused;
}

int main(void) {
  first = open("/etc/passwd", O_RDONLY);
  second = open("/etc/passwd", O_RDONLY);
  copy = dup(first);
  assert(first >= 0 && second >= 0 && copy >= 0);
  assert(lseek(first, 7, SEEK_SET) == 7);
  pthread_t thread = start(locks);
  finish(thread);
  assert(lseek(copy, 0, SEEK_CUR) == 7 && lseek(first, 9, SEEK_SET) == 9);
  assert(lseek(copy, 0, SEEK_CUR) == 9);
  assert(fcntl(copy, F_GETFD) == 0 && (fcntl(copy, F_GETFL) & O_ACCMODE) == O_RDONLY);
  return 0;
}
