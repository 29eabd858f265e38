// Two threads append to a list, each under lockf. The bug: such a lock belongs to the process, so it
// keeps no thread out.
#include <fcntl.h>
#include <unistd.h>

#include "program.h"

static char name[] = "/tmp/rff-list-XXXXXX";
static volatile int length;

static void* append(void* unused) {
  int file = open(name, O_RDWR);
  assert(file >= 0 && lockf(file, F_LOCK, 0) == 0);
  length = length + 1;
  assert(lockf(file, F_ULOCK, 0) == 0);
  return unused;
}

int main(void) {
  close(mkstemp(name));
  pthread_t threads[2] = {start(append), start(append)};
  finish(threads[0]);
  finish(threads[1]);
  unlink(name);
  assert(length == 2);
  return 0;
}
