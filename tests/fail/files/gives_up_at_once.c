// A thread takes a file's lock if it is free, and otherwise believes that the work is done. The bug:
// who has the lock may not have begun yet, and a conversion lets others in.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "program.h"

static char name[] = "/tmp/rff-cache-XXXXXX";
static int filled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int is_filled(int now) {
  pthread_mutex_lock(&mutex);
  filled |= now;
  int result = filled;
  pthread_mutex_unlock(&mutex);
  return result;
}

static void* use(void* unused) {
  int file = open(name, O_RDWR);
  assert(file >= 0);
  if (flock(file, LOCK_EX | LOCK_NB) == 0) {
    is_filled(1);
    assert(flock(file, LOCK_UN) == 0);
  } else {
    assert(errno == EWOULDBLOCK);
    assert(is_filled(0));
  }
  close(file);
  return unused;
}

int main(void) {
  close(mkstemp(name));
  pthread_t threads[2] = {start(use), start(use)};
  finish(threads[0]);
  finish(threads[1]);
  unlink(name);
  return 0;
}
