// Two threads read a record of a file under shared locks of their descriptions. The bug: both want
// to write it and wait for the other's shared lock, which neither gives back.
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "program.h"

static char name[] = "/tmp/rff-record-XXXXXX";

static void lock(int file, short type) {
  struct flock record = {.l_type = type, .l_whence = SEEK_SET, .l_start = 8, .l_len = 8};
  assert(fcntl(file, F_OFD_SETLKW, &record) == 0);
}

static void* update(void* unused) {
  int file = open(name, O_RDWR);
  long value = 0;
  assert(file >= 0);
  lock(file, F_RDLCK);
  assert(pread(file, &value, sizeof value, 8) == sizeof value);
  lock(file, F_WRLCK);
  ++value;
  assert(pwrite(file, &value, sizeof value, 8) == sizeof value);
  lock(file, F_UNLCK);
  close(file);
  return unused;
}

int main(void) {
  int file = mkstemp(name);
  assert(file >= 0 && ftruncate(file, 16) == 0);
  pthread_t threads[2] = {start(update), start(update)};
  finish(threads[0]);
  finish(threads[1]);
  unlink(name);
  return 0;
}
