// Locks of files keep threads apart where they belong to open file descriptions, and only there; a
// wait for one ends when it is given back, by whatever way.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "program.h"

enum { kThreads = 3, kRounds = 2 };

static char name[] = "/tmp/rff-locks-XXXXXX";
static volatile int inside, total;
static int shared_file;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

static void critical_section(void) {
  assert(inside == 0);
  inside = 1;
  total = total + 1;
  inside = 0;
}

static int opened(void) {
  int file = open(name, O_RDWR);
  assert(file >= 0);
  return file;
}

static int set_range(int file, int command, short type, off_t from, off_t length) {
  struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = from, .l_len = length};
  return fcntl(file, command, &range);
}

// Each thread gives the lock back in another way.
static void* with_flock(void* number) {
  for (int round = 0; round < kRounds; ++round) {
    int file = opened(), copy = dup(file);
    assert(flock(file, LOCK_EX) == 0);
    assert(flock(copy, LOCK_EX | LOCK_NB) == 0);  // one description
    close(file);                                  // the other descriptor keeps it
    critical_section();
    if ((long)number == 0) assert(flock(copy, LOCK_UN) == 0);
    if ((long)number == 1) assert(flock(copy, LOCK_SH) == 0);  // others may read
    if ((long)number == 2) assert(dup2(shared_file, copy) == copy);
    close(copy);
  }
  return NULL;
}

// Parts of a file: two threads share the first one, the third has one of its own.
static void* with_parts(void* number) {
  int file = opened();
  off_t from = (long)number < 2 ? 0 : 100;
  assert(set_range(file, F_OFD_SETLKW, F_WRLCK, from, 10) == 0);
  if (from == 0) {
    critical_section();
    struct flock other = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10};
    assert(fcntl(file, F_OFD_GETLK, &other) == 0 && other.l_type == F_UNLCK);
  }
  if ((long)number == 0) assert(set_range(file, F_OFD_SETLK, F_UNLCK, 0, 0) == 0);
  close(file);
  return NULL;
}

// All of these belong to the process: no thread waits for another, whatever the order.
static void* of_process(void* unused) {
  int file = opened();
  assert(set_range(file, F_SETLKW, F_WRLCK, 0, 0) == 0);
  pthread_mutex_lock(&order);
  assert(lockf(file, F_LOCK, 0) == 0);
  critical_section();
  assert(set_range(shared_file, F_SETLK, F_UNLCK, 0, 0) == 0);
  pthread_mutex_unlock(&order);
  assert(set_range(file, F_SETLKW, F_RDLCK, 0, 0) == 0);
  return unused;
}

static void* reads(void* unused) {
  FILE* file = fopen(name, "r");
  assert(file != NULL && flock(fileno(file), LOCK_SH) == 0);
  assert(inside == 0);
  int error = flock(fileno(file), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  assert(error == 0 || error == EWOULDBLOCK);
  fclose(file);
  return unused;
}

static void all(void* (*body)(void*)) {
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) threads[i] = start_with(body, (void*)i);
  for (int i = 0; i < kThreads; ++i) finish(threads[i]);
}

int main(void) {
  shared_file = mkstemp(name);
  assert(shared_file >= 0);
  all(with_flock);
  all(with_parts);
  all(of_process);
  all(reads);
  assert(total == kThreads * kRounds + 2 + kThreads);
  unlink(name);
  return 0;
}
